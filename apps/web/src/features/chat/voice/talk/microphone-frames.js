// Audio worklet that forwards the microphone's samples to the page.
class MicrophoneFrames extends AudioWorkletProcessor {
  process([[channel] = []]) {
    // copied, because the browser reuses the memory
    if (channel !== undefined) this.port.postMessage(channel.slice())
    return true
  }
}
registerProcessor('microphone-frames', MicrophoneFrames)
