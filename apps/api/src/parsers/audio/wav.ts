import { type FileHandle, open } from 'node:fs/promises'

/** A WAV file: mono, 16 bit. */
export interface Wav extends AsyncDisposable {
  durationSeconds: number
  sampleRate: number
  /** Samples between two times, or fewer at the end of the file. */
  read(startSeconds: number, endSeconds: number): Promise<Int16Array<ArrayBuffer>>
}

interface WavSamples {
  sampleRate: number
  offset: number
  count: number
}

/** Limit of the bytes before the samples; real files have a few hundred. */
const MAX_BYTES_BEFORE_SAMPLES = 4096
const HEADER_BYTES = 44
const BYTES_PER_SAMPLE = 2
const CHUNK_BYTES = 1 << 18
const MAX_AMPLITUDE = 32_768
/** Sample rate of files written for transcription. */
const WRITTEN_SAMPLE_RATE = 16_000
const WRITTEN_BYTES_PER_SECOND = WRITTEN_SAMPLE_RATE * BYTES_PER_SAMPLE

/**
 * Opens a WAV.
 * @throws Error for anything but 16-bit mono; the file system's error for a missing file.
 */
export async function openWav(filename: string): Promise<Wav> {
  const file = await open(filename)
  try {
    const { sampleRate, offset, count } = await findSamples(file)
    return {
      sampleRate,
      durationSeconds: count / sampleRate,
      async read(startSeconds, endSeconds) {
        const start = Math.min(Math.max(Math.round(startSeconds * sampleRate), 0), count)
        const end = Math.min(Math.max(Math.round(endSeconds * sampleRate), start), count)
        return readSamples(file, offset + start * BYTES_PER_SAMPLE, new Int16Array(end - start))
      },
      [Symbol.asyncDispose]: () => file.close(),
    }
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Length of a WAV by its actual size. @throws as openWav does. */
export async function wavSeconds(filename: string): Promise<number> {
  await using wav = await openWav(filename)
  return wav.durationSeconds
}

/**
 * Loudness of a recording over time: its largest sample in each of `count` equal stretches, 0 to 1. Reads the file in chunks.
 * @returns fewer numbers when there are fewer samples.
 * @throws as openWav does, and the signal's reason.
 */
export async function peaksOf(filename: string, count: number, signal?: AbortSignal): Promise<number[]> {
  await using file = await open(filename)
  const { offset, count: total } = await findSamples(file)
  const peaks = new Array<number>(Math.min(count, total)).fill(0)
  for (let samplesRead = 0; samplesRead < total; ) {
    signal?.throwIfAborted()
    const chunkSamples = Math.min(CHUNK_BYTES / BYTES_PER_SAMPLE, total - samplesRead)
    const samples = await readSamples(file, offset + samplesRead * BYTES_PER_SAMPLE, new Int16Array(chunkSamples))
    // The file was truncated while it was read.
    if (samples.length === 0) break
    for (const sample of samples) {
      const peakIndex = Math.floor((samplesRead++ * peaks.length) / total)
      const loudness = Math.abs(sample) / MAX_AMPLITUDE
      if (loudness > (peaks[peakIndex] ?? 0)) peaks[peakIndex] = loudness
    }
  }
  return peaks
}

/** Loudness as a short text to be stored: base64, one byte for each stretch. */
export function packPeaks(peaks: number[]): string {
  return Buffer.from(peaks.map((peak) => Math.round(Math.min(1, Math.max(0, peak)) * 255))).toString('base64')
}

/**
 * Writes samples of 16 bits, mono, 16 kHz, as a WAV.
 * @returns its length in seconds.
 */
export async function writeWav(filename: string, samples: Iterable<Buffer>, maxSeconds: number): Promise<number> {
  await using file = await open(filename, 'w', 0o600)
  let sizeBytes = 0
  let pending: Buffer[] = []
  let pendingBytes = 0
  const write = async () => {
    await file.write(Buffer.concat(pending), 0, pendingBytes, HEADER_BYTES + sizeBytes)
    sizeBytes += pendingBytes
    pending = []
    pendingBytes = 0
  }
  for (const piece of samples) {
    pending.push(piece)
    pendingBytes += piece.length
    if (pendingBytes >= CHUNK_BYTES) await write()
    if (sizeBytes >= maxSeconds * WRITTEN_BYTES_PER_SECOND) break
  }
  await write()
  await file.write(wavHeader(sizeBytes, WRITTEN_SAMPLE_RATE), 0, HEADER_BYTES, 0)
  return sizeBytes / WRITTEN_BYTES_PER_SECOND
}

/** Samples as a WAV file. */
export function encodeWav(samples: Int16Array<ArrayBuffer>, sampleRate: number): Buffer<ArrayBuffer> {
  const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)
  return Buffer.concat([wavHeader(samples.byteLength, sampleRate), bytes])
}

function wavHeader(dataBytes: number, sampleRate: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.write('RIFF', 0, 'latin1')
  header.writeUInt32LE(HEADER_BYTES - 8 + dataBytes, 4)
  header.write('WAVEfmt ', 8, 'latin1')
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(sampleRate, 24)
  header.writeUInt32LE(sampleRate * BYTES_PER_SAMPLE, 28)
  header.writeUInt16LE(BYTES_PER_SAMPLE, 32)
  header.writeUInt16LE(8 * BYTES_PER_SAMPLE, 34)
  header.write('data', 36, 'latin1')
  header.writeUInt32LE(dataBytes, 40)
  return header
}

/** Reads samples from a position in the file; the result is shorter when the file ends earlier. */
async function readSamples(file: FileHandle, position: number, samples: Int16Array<ArrayBuffer>) {
  const bytes = new Uint8Array(samples.buffer)
  let filled = 0
  while (filled < bytes.length) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, position + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return samples.subarray(0, Math.floor(filled / BYTES_PER_SAMPLE))
}

async function findSamples(file: FileHandle): Promise<WavSamples> {
  const { size } = await file.stat()
  const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES_BEFORE_SAMPLES))
  const header = buffer.subarray(0, bytesRead)
  const soundError = (how: string) => new Error(`The sound ${how}.`)
  if (bytesRead < 12 || header.toString('latin1', 0, 4) !== 'RIFF' || header.toString('latin1', 8, 12) !== 'WAVE') {
    throw soundError("isn't a WAV file")
  }
  let sampleRate = 0
  for (let position = 12; position + 8 <= bytesRead; ) {
    const name = header.toString('latin1', position, position + 4)
    const length = header.readUInt32LE(position + 4)
    const offset = position + 8
    if (name === 'fmt ' && position + 24 <= bytesRead) {
      const [channels, bits] = [header.readUInt16LE(position + 10), header.readUInt16LE(position + 22)]
      if (channels !== 1 || bits !== 16) throw soundError(`has ${channels} channels of ${bits} bit`)
      sampleRate = header.readUInt32LE(position + 12)
    }
    if (name === 'data' && sampleRate > 0) {
      // Files written to a pipe, or by an aborted writer, don't state their length.
      const count = Math.max(0, Math.floor(Math.min(length, size - offset) / BYTES_PER_SAMPLE))
      return { sampleRate, offset, count }
    }
    position = offset + length + (length % 2)
  }
  throw soundError('has no samples')
}
