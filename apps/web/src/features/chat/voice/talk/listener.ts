import { VOICE_ACTIVITY_WORKER } from '../../../../lib/browser/trusted-types.ts'
import type { VoiceRequest, VoiceResponse } from '../../../../lib/browser/voice-activity-worker.ts'
import { closeMicrophone, openMicrophone } from '../recorder.ts'
import framesUrl from './microphone-frames.js?url'

const HEADER_BYTES = 44

/** Mono audio as a 16-bit WAV file, which every engine can read. */
export function wavOf(samples: Float32Array, sampleRate: number): Blob {
  const view = new DataView(new ArrayBuffer(HEADER_BYTES + 2 * samples.length))
  const writeText = (offset: number, text: string) => {
    for (let index = 0; index < text.length; index++) view.setUint8(offset + index, text.charCodeAt(index))
  }
  writeText(0, 'RIFF')
  view.setUint32(4, view.byteLength - 8, true)
  writeText(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, sampleRate, true)
  view.setUint32(28, 2 * sampleRate, true)
  view.setUint16(32, 2, true)
  view.setUint16(34, 16, true)
  writeText(36, 'data')
  view.setUint32(40, 2 * samples.length, true)
  for (const [index, sample] of samples.entries()) {
    view.setInt16(HEADER_BYTES + 2 * index, Math.round(32_767 * Math.max(-1, Math.min(1, sample))), true)
  }
  return new Blob([view], { type: 'audio/wav' })
}

/** An open microphone. */
interface Listener {
  /** Nothing is heard while it is muted. */
  mute: (isMuted: boolean) => void
  close: () => void
}

export interface ListenerEvents {
  /** Speech has begun and has lasted longer than a cough. */
  onSpeechStart: () => void
  /** Recorded speech at 16 kHz. */
  onSpeech: (samples: Float32Array) => void
  /** A noise too short for speech; `onSpeechStart` wasn't called. */
  onNoise: () => void
  onFailed: (reason: string) => void
}

/**
 * Listens to the microphone and extracts the parts with speech.
 *
 * @throws MicrophoneError, or the browser's error when the worker or worklet can't be loaded.
 */
export async function startListener(events: ListenerEvents, signal: AbortSignal): Promise<Listener> {
  const stream = await openMicrophone()
  try {
    signal.throwIfAborted()
    return await listenTo(stream, events, signal)
  } catch (error) {
    closeMicrophone(stream)
    throw error
  }
}

async function listenTo(stream: MediaStream, events: ListenerEvents, signal: AbortSignal): Promise<Listener> {
  const context = new AudioContext()
  const worker = new Worker(VOICE_ACTIVITY_WORKER, { type: 'module' })
  const close = () => {
    worker.terminate()
    closeMicrophone(stream)
    void context.close().catch(() => undefined)
  }
  const ready = Promise.withResolvers<void>()
  worker.addEventListener('error', (event) => ready.reject(new Error(event.message || 'The worker did not start')))
  worker.addEventListener('message', ({ data }: MessageEvent<VoiceResponse>) => {
    if (data.type === 'ready') ready.resolve()
    else if (data.type === 'begun') events.onSpeechStart()
    else if (data.type === 'speech') events.onSpeech(data.samples)
    else if (data.type === 'nothing') events.onNoise()
    else {
      ready.reject(new Error(data.reason))
      events.onFailed(data.reason)
    }
  })
  const onAbort = () => ready.reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  const send = (request: VoiceRequest) => worker.postMessage(request)
  try {
    await context.audioWorklet.addModule(framesUrl)
    send({ sampleRate: context.sampleRate })
    await ready.promise
    await context.resume()
    const frames = new AudioWorkletNode(context, 'microphone-frames', { numberOfOutputs: 0 })
    frames.port.onmessage = ({ data }: MessageEvent<Float32Array>) => send(data)
    context.createMediaStreamSource(stream).connect(frames)
    return {
      mute: (isMuted) => {
        for (const track of stream.getAudioTracks()) track.enabled = !isMuted
      },
      close,
    }
  } catch (error) {
    close()
    throw error
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
