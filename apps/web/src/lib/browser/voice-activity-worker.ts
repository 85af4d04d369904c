// Detects speech in a microphone's samples, with Silero's network in WebAssembly, which only this worker may run.
import { FrameProcessor, type FrameProcessorEvent } from '@ricky0123/vad-web/dist/frame-processor.js'
import { Message } from '@ricky0123/vad-web/dist/messages.js'
import { Silero } from '@ricky0123/vad-web/dist/models/silero.js'
import { Resampler } from '@ricky0123/vad-web/dist/resampler.js'
import weightsUrl from '@ricky0123/vad-web/dist/silero_vad_v6.onnx?url'
import runtimeUrl from 'onnxruntime-web/ort-wasm-simd-threaded.wasm?url'
import * as runtime from 'onnxruntime-web/wasm'

/** Message to this worker: first the sample rate in Hz, then samples. */
export type VoiceRequest = { sampleRate: number } | Float32Array

/** Message from this worker; `speech` carries an utterance, sampled at 16 kHz. */
export type VoiceResponse =
  | { type: 'ready' }
  | { type: 'begun' }
  | { type: 'nothing' }
  | { type: 'speech'; samples: Float32Array<ArrayBuffer> }
  | { type: 'failed'; reason: string }

const SAMPLE_RATE = 16_000
const FRAME_SAMPLES = 512
const options = {
  positiveSpeechThreshold: 0.5,
  negativeSpeechThreshold: 0.35,
  // long enough for a breath between two sentences
  redemptionMs: 900,
  preSpeechPadMs: 400,
  minSpeechMs: 250,
  submitUserSpeechOnPause: false,
}

const respond = (response: VoiceResponse) =>
  self.postMessage(response, response.type === 'speech' ? { transfer: [response.samples.buffer] } : {})

async function open(sampleRate: number) {
  runtime.env.wasm.numThreads = 1
  runtime.env.wasm.wasmPaths = { wasm: runtimeUrl }
  const model = await Silero.new(runtime as never, async () => (await fetch(weightsUrl)).arrayBuffer())
  const processor = new FrameProcessor(model.process, model.reset_state, options, (1000 * FRAME_SAMPLES) / SAMPLE_RATE)
  processor.resume()
  const resampler = new Resampler({
    nativeSampleRate: sampleRate,
    targetSampleRate: SAMPLE_RATE,
    targetFrameSize: FRAME_SAMPLES,
  })
  return { processor, resampler }
}

function handleFrame(event: FrameProcessorEvent): void {
  if (event.msg === Message.SpeechRealStart) respond({ type: 'begun' })
  else if (event.msg === Message.SpeechEnd) respond({ type: 'speech', samples: new Float32Array(event.audio) })
  else if (event.msg === Message.VADMisfire) respond({ type: 'nothing' })
}

let opening: ReturnType<typeof open> | undefined
let queue = Promise.resolve()

self.addEventListener('message', ({ data }: MessageEvent<VoiceRequest>) => {
  const handle = async () => {
    if (!(data instanceof Float32Array)) {
      opening = open(data.sampleRate)
      await opening
      respond({ type: 'ready' })
      return
    }
    const { processor, resampler } = (await opening) ?? {}
    for (const frame of resampler?.process(data) ?? []) await processor?.process(frame, handleFrame)
  }
  queue = queue.then(handle).catch((error: unknown) => respond({ type: 'failed', reason: String(error) }))
})
