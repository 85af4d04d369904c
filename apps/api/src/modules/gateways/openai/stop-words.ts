/** Cuts a streamed text before its first stop word, even one split between chunks. */
export interface StopWordFilter {
  /** Adds text. @returns the part that can already be sent. */
  add(text: string): string
  /** Ends the text. @returns the part that was withheld; empty after a stop word. */
  end(): string
  /** True after a stop word: nothing more is sent. */
  readonly hasStopped: boolean
}

/** First half of a surrogate pair, which can't be sent alone. */
const HIGH_SURROGATE_AT_END = /[\uD800-\uDBFF]$/

/** Watches for words that end an answer; empty words are ignored. */
export function createStopWordFilter(words: string[]): StopWordFilter {
  const stops = words.filter((word) => word !== '')
  const maxLength = Math.max(0, ...stops.map((word) => word.length))
  let buffer = ''
  let hasStopped = false
  return {
    get hasStopped() {
      return hasStopped
    },
    add(text) {
      if (hasStopped) return ''
      if (maxLength === 0) return text
      buffer += text
      const positions = stops.map((word) => buffer.indexOf(word)).filter((index) => index >= 0)
      if (positions.length > 0) {
        hasStopped = true
        return buffer.slice(0, Math.min(...positions))
      }
      // The buffer's end may be the beginning of a stop word.
      const keptLength = Math.min(maxLength - 1, buffer.length)
      const released = buffer.slice(0, buffer.length - keptLength).replace(HIGH_SURROGATE_AT_END, '')
      buffer = buffer.slice(released.length)
      return released
    },
    end() {
      const rest = hasStopped ? '' : buffer
      buffer = ''
      return rest
    },
  }
}
