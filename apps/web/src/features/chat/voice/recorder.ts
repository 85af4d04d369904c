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

/** A recording under way. */
interface Recording {
  /** Current loudness, 0 to 1. */
  level: () => number
  /** Ends it and returns the audio. */
  finish: () => Promise<Blob>
  /** Ends it and discards the audio. */
  cancel: () => void
}

/** Formats that browsers record and the server reads, the smallest first. */
const TYPES = ['audio/webm;codecs=opus', 'audio/ogg;codecs=opus', 'audio/mp4', 'audio/webm']
/** Speech at this rate is clear, and ten minutes are 2.4 MB. */
const BITS_PER_SECOND = 32_000
const PIECE_MS = 1000
/** Speech is rarely louder than a third of what a microphone can take. */
const GAIN = 3

/**
 * Starts recording from the microphone; the browser may ask for permission first.
 *
 * @throws MicrophoneError; an AbortError when `signal` aborts while the browser asks.
 */
export async function startRecording(signal: AbortSignal): Promise<Recording> {
  if (!window.isSecureContext) throw new MicrophoneError('insecure')
  const isThere = navigator.mediaDevices !== undefined && typeof MediaRecorder !== 'undefined'
  const mimeType = isThere ? TYPES.find((type) => MediaRecorder.isTypeSupported(type)) : undefined
  if (mimeType === undefined) throw new MicrophoneError('unsupported')
  const stream = await openMicrophone()
  const close = () => {
    for (const track of stream.getTracks()) track.stop()
  }
  if (signal.aborted) {
    close()
    signal.throwIfAborted()
  }
  const meter = createMeter(stream)
  const pieces: Blob[] = []
  const recorder = new MediaRecorder(stream, { mimeType, audioBitsPerSecond: BITS_PER_SECOND })
  recorder.addEventListener('dataavailable', ({ data }) => pieces.push(data))
  const ended = new Promise<void>((resolve) => {
    recorder.addEventListener('stop', () => {
      close()
      meter.close()
      resolve()
    })
  })
  recorder.start(PIECE_MS)
  const end = () => {
    // unplugging the microphone has ended it already
    if (recorder.state !== 'inactive') recorder.stop()
  }
  return {
    level: meter.level,
    finish: async () => {
      end()
      await ended
      return new Blob(pieces, { type: mimeType.split(';')[0] ?? mimeType })
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
  context.createMediaStreamSource(stream).connect(analyser)
  const samples = new Float32Array(analyser.fftSize)
  return {
    level: () => {
      analyser.getFloatTimeDomainData(samples)
      const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length
      return Math.min(1, Math.sqrt(power) * GAIN)
    },
    close: () => void context.close().catch(() => undefined),
  }
}
