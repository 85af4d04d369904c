// @vitest-environment happy-dom
import { beforeEach, expect, test, vi } from 'vitest'
import { startRecording } from './recorder.ts'
import { startListener } from './talk/listener.ts'

const stop = vi.fn()
let opened: PromiseWithResolvers<{ getTracks: () => object[] }>
const open = () => opened.resolve({ getTracks: () => [{ stop }] })

class NoAudio {
  constructor() {
    throw new Error('Too many audio contexts')
  }
}

const record = vi.fn()
class Recorder extends EventTarget {
  static isTypeSupported = () => true
  start = record
}

beforeEach(() => {
  stop.mockReset()
  record.mockReset()
  opened = Promise.withResolvers()
  vi.stubGlobal('isSecureContext', true)
  vi.stubGlobal('navigator', { mediaDevices: { getUserMedia: () => opened.promise } })
  vi.stubGlobal('MediaRecorder', Recorder)
  vi.stubGlobal('AudioContext', NoAudio)
})

const closeContext = vi.fn(async () => {})
const connectSource = vi.fn()
class FakeAudio {
  createAnalyser = () => ({ fftSize: 0 })
  createMediaStreamSource = () => ({ connect: connectSource })
  close = closeContext
}

const events = { onSpeechStart: vi.fn(), onSpeech: vi.fn(), onNoise: vi.fn(), onFailed: vi.fn() }

test.each([
  ['a recording', (signal: AbortSignal) => startRecording(signal)],
  ['a talk', (signal: AbortSignal) => startListener(events, signal)],
])('the microphone is released when %s is cancelled before it opens, or can’t begin', async (_, start) => {
  const controller = new AbortController()
  const starting = start(controller.signal)
  controller.abort()
  open()
  await expect(starting).rejects.toThrow('aborted')
  expect(stop).toHaveBeenCalledOnce()

  await expect(start(new AbortController().signal)).rejects.toThrow('Too many audio contexts')
  expect(stop).toHaveBeenCalledTimes(2)
  expect(record).not.toHaveBeenCalled()
})

test.each([
  ['measured', connectSource],
  ['recorded', record],
])('everything is released when the audio can’t be %s', async (_, step) => {
  vi.stubGlobal('AudioContext', FakeAudio)
  closeContext.mockClear()
  step.mockImplementationOnce(() => {
    throw new Error('No audio')
  })
  open()
  await expect(startRecording(new AbortController().signal)).rejects.toThrow('No audio')
  expect(stop).toHaveBeenCalledOnce()
  expect(closeContext).toHaveBeenCalledOnce()
})
