/** Reason for a failed recording; each has a text. */
export type MicrophoneTrouble = 'denied' | 'none' | 'busy' | 'insecure' | 'unsupported' | 'failed'

/** Thrown when the microphone cannot be used. */
export class MicrophoneError extends Error {
  readonly trouble: MicrophoneTrouble

  constructor(trouble: MicrophoneTrouble, options?: ErrorOptions) {
    super(`The microphone cannot be used: ${trouble}`, options)
    this.name = 'MicrophoneError'
    this.trouble = trouble
  }
}

/** A recording in progress. */
interface Recording {
  /** Current loudness, 0 to 1. */
  level: () => number
  /** Ends the recording and returns the audio. */
  finish: () => Promise<Blob>
  /** Ends the recording and discards the audio. */
  cancel: () => void
}

/** Formats that browsers record and the server reads, the smallest first. */
const MIME_TYPES = ['audio/webm;codecs=opus', 'audio/ogg;codecs=opus', 'audio/mp4', 'audio/webm']
/** Speech at this rate is clear, and ten minutes are 2.4 MB. */
const BITS_PER_SECOND = 32_000
const CHUNK_MS = 1000
/** Amplifies the level, because speech is rarely louder than a third of a microphone's maximum. */
const GAIN = 3

/**
 * Starts recording from the microphone; the browser may ask for permission first.
 *
 * @throws MicrophoneError; an AbortError when `signal` aborts while the browser asks.
 */
export async function startRecording(signal: AbortSignal): Promise<Recording> {
  if (!window.isSecureContext) throw new MicrophoneError('insecure')
  const isSupported = navigator.mediaDevices !== undefined && typeof MediaRecorder !== 'undefined'
  const mimeType = isSupported ? MIME_TYPES.find((type) => MediaRecorder.isTypeSupported(type)) : undefined
  if (mimeType === undefined) throw new MicrophoneError('unsupported')
  const stream = await openMicrophone()
  try {
    signal.throwIfAborted()
    return record(stream, mimeType)
  } catch (error) {
    closeMicrophone(stream)
    throw error
  }
}

function record(stream: MediaStream, mimeType: string): Recording {
  const recorder = new MediaRecorder(stream, { mimeType, audioBitsPerSecond: BITS_PER_SECOND })
  const meter = createMeter(stream)
  const chunks: Blob[] = []
  recorder.addEventListener('dataavailable', ({ data }) => chunks.push(data))
  const ended = new Promise<void>((resolve) => {
    recorder.addEventListener('stop', () => {
      closeMicrophone(stream)
      meter.close()
      resolve()
    })
  })
  try {
    recorder.start(CHUNK_MS)
  } catch (error) {
    meter.close()
    throw error
  }
  const end = () => {
    // If the microphone was unplugged, the recorder has already stopped.
    if (recorder.state !== 'inactive') recorder.stop()
  }
  return {
    level: meter.level,
    finish: async () => {
      end()
      await ended
      return new Blob(chunks, { type: mimeType.split(';')[0] ?? mimeType })
    },
    cancel: end,
  }
}

/** Opens the microphone; the browser may ask for permission first. @throws MicrophoneError */
export async function openMicrophone(): Promise<MediaStream> {
  if (!window.isSecureContext) throw new MicrophoneError('insecure')
  if (navigator.mediaDevices === undefined) throw new MicrophoneError('unsupported')
  try {
    return await navigator.mediaDevices.getUserMedia({
      audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true },
    })
  } catch (error) {
    throw new MicrophoneError(troubleOf(error), { cause: error })
  }
}

export function closeMicrophone(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop()
}

/** Maps an error of `getUserMedia` to its cause. */
export function troubleOf(error: unknown): MicrophoneTrouble {
  switch (error instanceof Error ? error.name : '') {
    case 'NotAllowedError':
    case 'SecurityError':
      return 'denied'
    case 'NotFoundError':
    case 'OverconstrainedError':
      return 'none'
    case 'NotSupportedError':
      return 'unsupported'
    case 'NotReadableError':
    case 'AbortError':
      return 'busy'
    default:
      return 'failed'
  }
}

function createMeter(stream: MediaStream): { level: () => number; close: () => void } {
  const context = new AudioContext()
  const analyser = context.createAnalyser()
  analyser.fftSize = 512
  const close = () => void context.close().catch(() => undefined)
  try {
    context.createMediaStreamSource(stream).connect(analyser)
  } catch (error) {
    close()
    throw error
  }
  const samples = new Float32Array(analyser.fftSize)
  return {
    level: () => {
      analyser.getFloatTimeDomainData(samples)
      const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length
      return Math.min(1, Math.sqrt(power) * GAIN)
    },
    close,
  }
}
