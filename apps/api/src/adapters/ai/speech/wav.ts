import { type FileHandle, open } from 'node:fs/promises'

/** A WAV on the disk: mono, 16 bit. */
export interface Wav extends AsyncDisposable {
  durationSeconds: number
  sampleRate: number
  /** The samples of a stretch, or what is there of it. */
  read(startSeconds: number, endSeconds: number): Promise<Int16Array<ArrayBuffer>>
}

const HEADER_BYTES = 4096
const BYTES_PER_SAMPLE = 2

/** Opens a WAV. @throws Error when it is none, or not mono with 16 bit. */
export async function openWav(filename: string): Promise<Wav> {
  const file = await open(filename)
  try {
    const { sampleRate, dataStart, dataBytes } = await readHeader(file)
    const { size } = await file.stat()
    // what is written to a pipe does not know its length
    const samples = Math.max(0, Math.floor(Math.min(dataBytes, size - dataStart) / BYTES_PER_SAMPLE))
    return {
      sampleRate,
      durationSeconds: samples / sampleRate,
      async read(startSeconds, endSeconds) {
        const start = Math.min(Math.max(Math.round(startSeconds * sampleRate), 0), samples)
        const end = Math.min(Math.max(Math.round(endSeconds * sampleRate), start), samples)
        const stretch = new Int16Array(end - start)
        const bytes = new Uint8Array(stretch.buffer)
        let filled = 0
        while (filled < bytes.length) {
          const at = dataStart + start * BYTES_PER_SAMPLE + filled
          const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, at)
          if (bytesRead === 0) break
          filled += bytesRead
        }
        return stretch
      },
      [Symbol.asyncDispose]: () => file.close(),
    }
  } catch (error) {
    await file.close()
    throw error
  }
}

async function readHeader(file: FileHandle): Promise<{ sampleRate: number; dataStart: number; dataBytes: number }> {
  const bytes = Buffer.alloc(HEADER_BYTES)
  const { bytesRead } = await file.read(bytes, 0, HEADER_BYTES, 0)
  const header = bytes.subarray(0, bytesRead)
  const wrong = (how: string) => new Error(`The sound to be transcribed ${how}.`)
  if (bytesRead < 12 || header.toString('latin1', 0, 4) !== 'RIFF' || header.toString('latin1', 8, 12) !== 'WAVE') {
    throw wrong('is no WAV')
  }
  let sampleRate = 0
  for (let at = 12; at + 8 <= bytesRead; ) {
    const name = header.toString('latin1', at, at + 4)
    const length = header.readUInt32LE(at + 4)
    if (name === 'fmt ' && at + 24 <= bytesRead) {
      const [channels, bits] = [header.readUInt16LE(at + 10), header.readUInt16LE(at + 22)]
      if (channels !== 1 || bits !== 16) throw wrong(`has ${channels} channels of ${bits} bit`)
      sampleRate = header.readUInt32LE(at + 12)
    }
    if (name === 'data' && sampleRate > 0) return { sampleRate, dataStart: at + 8, dataBytes: length }
    at += 8 + length + (length % 2)
  }
  throw wrong('has no samples')
}

/** Samples as a WAV file. */
export function encodeWav(samples: Int16Array<ArrayBuffer>, sampleRate: number): Buffer<ArrayBuffer> {
  const header = Buffer.alloc(44)
  header.write('RIFF', 0, 'latin1')
  header.writeUInt32LE(36 + samples.byteLength, 4)
  header.write('WAVEfmt ', 8, 'latin1')
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(sampleRate, 24)
  header.writeUInt32LE(sampleRate * BYTES_PER_SAMPLE, 28)
  header.writeUInt16LE(BYTES_PER_SAMPLE, 32)
  header.writeUInt16LE(8 * BYTES_PER_SAMPLE, 34)
  header.write('data', 36, 'latin1')
  header.writeUInt32LE(samples.byteLength, 40)
  return Buffer.concat([header, new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)])
}
