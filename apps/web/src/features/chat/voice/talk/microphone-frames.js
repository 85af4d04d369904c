// Hands on what the microphone hears, as it comes: a part of the browser's own thread for sound.
class MicrophoneFrames extends AudioWorkletProcessor {
  process([[channel] = []]) {
    // the browser uses its memory again
    if (channel !== undefined) this.port.postMessage(channel.slice())
    return true
  }
}
registerProcessor('microphone-frames', MicrophoneFrames)
