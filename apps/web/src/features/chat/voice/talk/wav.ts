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
