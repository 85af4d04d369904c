import { VOICE_ACTIVITY_WORKER } from '../../../../lib/browser/trusted-types.ts'
import type { VoiceNews, VoiceQuestion } from '../../../../lib/browser/voice-activity-worker.ts'
import { openMicrophone } from '../recorder.ts'
import framesUrl from './microphone-frames.js?url'

const HEADER_BYTES = 44

/** Sound of one channel as a file that every engine reads. */
export function wavOf(samples: Float32Array, sampleRate: number): Blob {
  const view = new DataView(new ArrayBuffer(HEADER_BYTES + 2 * samples.length))
  const word = (at: number, letters: string) => {
    for (let index = 0; index < letters.length; index++) view.setUint8(at + index, letters.charCodeAt(index))
  }
  word(0, 'RIFF')
  view.setUint32(4, view.byteLength - 8, true)
  word(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, sampleRate, true)
  view.setUint32(28, 2 * sampleRate, true)
  view.setUint16(32, 2, true)
  view.setUint16(34, 16, true)
  word(36, 'data')
  view.setUint32(40, 2 * samples.length, true)
  for (const [index, sample] of samples.entries()) {
    view.setInt16(HEADER_BYTES + 2 * index, Math.round(32_767 * Math.max(-1, Math.min(1, sample))), true)
  }
  return new Blob([view], { type: 'audio/wav' })
}

/** A microphone that is listened to until it is closed. */
interface Listener {
  /** Nothing is heard while it is muted. */
  mute: (isMuted: boolean) => void
  close: () => void
}

export interface Ears {
  /** Somebody has begun to speak, for longer than a cough. */
  onBegun: () => void
  /** Recorded speech at 16 kHz. */
  onSpeech: (samples: Float32Array) => void
  /** A noise too short for speech; `onBegun` wasn't called. */
  onNothing: () => void
  onFailed: (reason: string) => void
}

/**
 * Listens to the microphone and cuts what it hears where somebody speaks.
 *
 * @throws MicrophoneError; what the browser says when its parts cannot be loaded.
 */
export async function startListener(ears: Ears, signal: AbortSignal): Promise<Listener> {
  const stream = await openMicrophone()
  const context = new AudioContext()
  const worker = new Worker(VOICE_ACTIVITY_WORKER, { type: 'module' })
  const close = () => {
    worker.terminate()
    for (const track of stream.getTracks()) track.stop()
    void context.close().catch(() => undefined)
  }
  const ready = Promise.withResolvers<void>()
  worker.addEventListener('error', (event) => ready.reject(new Error(event.message || 'The worker did not start')))
  worker.addEventListener('message', ({ data }: MessageEvent<VoiceNews>) => {
    if (data.type === 'ready') ready.resolve()
    else if (data.type === 'begun') ears.onBegun()
    else if (data.type === 'speech') ears.onSpeech(data.samples)
    else if (data.type === 'nothing') ears.onNothing()
    else {
      ready.reject(new Error(data.reason))
      ears.onFailed(data.reason)
    }
  })
  const onAbort = () => ready.reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  const ask = (question: VoiceQuestion) => worker.postMessage(question)
  try {
    signal.throwIfAborted()
    await context.audioWorklet.addModule(framesUrl)
    ask({ sampleRate: context.sampleRate })
    await ready.promise
    await context.resume()
  } catch (error) {
    close()
    throw error
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
  const frames = new AudioWorkletNode(context, 'microphone-frames', { numberOfOutputs: 0 })
  frames.port.onmessage = ({ data }: MessageEvent<Float32Array>) => ask(data)
  context.createMediaStreamSource(stream).connect(frames)
  return {
    mute: (isMuted) => {
      for (const track of stream.getAudioTracks()) track.enabled = !isMuted
    },
    close,
  }
}
