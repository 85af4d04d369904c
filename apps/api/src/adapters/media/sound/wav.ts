import { open } from 'node:fs/promises'

/** Where the samples of a WAV are. */
interface WavData {
  offset: number
  sizeBytes: number
  /** Bytes of one second of sound. */
  bytesPerSecond: number
}

const HEADER_BYTES = 4096
const SAMPLE_BYTES = 2
const CHUNK_BYTES = 1 << 18
const LOUDEST = 32_768
/** Length of the header that is written here. */
const WAV_HEADER_BYTES = 44
const WAV_BYTES_PER_SECOND = 32_000

/**
 * Length of a WAV, by what is really there.
 * @throws the file system's error when there is no file.
 */
export async function wavSeconds(filename: string): Promise<number> {
  const handle = await open(filename)
  try {
    const { sizeBytes, bytesPerSecond } = await findData(handle)
    return sizeBytes / bytesPerSecond
  } finally {
    await handle.close()
  }
}

/**
 * How loud a recording is, from start to end: the largest sample of each of `count` stretches, from 0 to 1. Reads the
 * file piece by piece.
 * @param filename of a WAV with samples of 16 bits, as `sound` writes it.
 * @returns no numbers when there are no samples.
 */
export async function peaksOf(filename: string, count: number, signal?: AbortSignal): Promise<number[]> {
  const handle = await open(filename)
  try {
    const { offset, sizeBytes } = await findData(handle)
    const total = Math.floor(sizeBytes / SAMPLE_BYTES)
    if (total === 0) return []
    const peaks = new Array<number>(Math.min(count, total)).fill(0)
    const chunk = Buffer.alloc(CHUNK_BYTES)
    let done = 0
    while (done < total) {
      signal?.throwIfAborted()
      const wanted = Math.min(CHUNK_BYTES, (total - done) * SAMPLE_BYTES)
      const { bytesRead } = await handle.read(chunk, 0, wanted, offset + done * SAMPLE_BYTES)
      const samples = Math.floor(bytesRead / SAMPLE_BYTES)
      if (samples === 0) break
      for (let n = 0; n < samples; n++) {
        const at = Math.floor(((done + n) * peaks.length) / total)
        const loudness = Math.abs(chunk.readInt16LE(n * SAMPLE_BYTES)) / LOUDEST
        if (loudness > (peaks[at] ?? 0)) peaks[at] = loudness
      }
      done += samples
    }
    return peaks
  } finally {
    await handle.close()
  }
}

/** Loudness as a short text to be stored: base64, one byte for each stretch. */
export function packPeaks(peaks: number[]): string {
  return Buffer.from(peaks.map((peak) => Math.round(Math.min(1, Math.max(0, peak)) * 255))).toString('base64')
}

async function findData(handle: Awaited<ReturnType<typeof open>>): Promise<WavData> {
  const { size } = await handle.stat()
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0)
  let bytesPerSecond = 32_000
  for (let at = 12; at + 8 <= bytesRead; ) {
    const name = buffer.toString('latin1', at, at + 4)
    const length = buffer.readUInt32LE(at + 4)
    const offset = at + 8
    if (name === 'fmt ' && offset + 12 <= bytesRead) bytesPerSecond = buffer.readUInt32LE(offset + 8) || bytesPerSecond
    // a writer that was stopped has not told the length
    if (name === 'data') return { offset, sizeBytes: Math.max(0, Math.min(length, size - offset)), bytesPerSecond }
    at = offset + length + (length % 2)
  }
  return { offset: size, sizeBytes: 0, bytesPerSecond }
}

/**
 * Writes samples of 16 bits, mono, 16 kHz, as a WAV.
 * @returns its length in seconds.
 */
export async function writeWav(filename: string, samples: Iterable<Buffer>, maxSeconds: number): Promise<number> {
  const handle = await open(filename, 'w', 0o600)
  try {
    let sizeBytes = 0
    let waiting: Buffer[] = []
    let waitingBytes = 0
    const write = async () => {
      await handle.write(Buffer.concat(waiting), 0, waitingBytes, WAV_HEADER_BYTES + sizeBytes)
      sizeBytes += waitingBytes
      waiting = []
      waitingBytes = 0
    }
    for (const piece of samples) {
      waiting.push(piece)
      waitingBytes += piece.length
      if (waitingBytes >= CHUNK_BYTES) await write()
      if (sizeBytes >= maxSeconds * WAV_BYTES_PER_SECOND) break
    }
    await write()
    await handle.write(wavHeader(sizeBytes), 0, WAV_HEADER_BYTES, 0)
    return sizeBytes / WAV_BYTES_PER_SECOND
  } finally {
    await handle.close()
  }
}

/** The header of a WAV with samples of 16 bits, mono, 16 kHz. */
export function wavHeader(dataBytes: number): Buffer {
  const header = Buffer.alloc(WAV_HEADER_BYTES)
  header.write('RIFF', 0, 'latin1')
  header.writeUInt32LE(WAV_HEADER_BYTES - 8 + dataBytes, 4)
  header.write('WAVEfmt ', 8, 'latin1')
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(WAV_BYTES_PER_SECOND / SAMPLE_BYTES, 24)
  header.writeUInt32LE(WAV_BYTES_PER_SECOND, 28)
  header.writeUInt16LE(SAMPLE_BYTES, 32)
  header.writeUInt16LE(SAMPLE_BYTES * 8, 34)
  header.write('data', 36, 'latin1')
  header.writeUInt32LE(dataBytes, 40)
  return header
}
