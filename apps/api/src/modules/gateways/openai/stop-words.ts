/** Ends a text before the first of some words, which may arrive in pieces. */
export interface StopWatch {
  /** Adds text. @returns the part that can already be sent. */
  add(text: string): string
  /** Withheld text, when the answer ends without a stop word. */
  end(): string
  /** True after a stop word: nothing more is sent. */
  readonly hasStopped: boolean
}

/** Watches for words that end an answer; none end nothing. */
export function watchForStops(words: string[]): StopWatch {
  const stops = words.filter((word) => word !== '')
  const longest = Math.max(0, ...stops.map((word) => word.length))
  let held = ''
  let hasStopped = false
  return {
    get hasStopped() {
      return hasStopped
    },
    add(text) {
      if (hasStopped) return ''
      if (longest === 0) return text
      held += text
      const places = stops.map((word) => held.indexOf(word)).filter((at) => at >= 0)
      if (places.length > 0) {
        hasStopped = true
        return held.slice(0, Math.min(...places))
      }
      // the end of what is there may be the beginning of one of the words
      const kept = Math.min(longest - 1, held.length)
      const told = held.slice(0, held.length - kept)
      held = held.slice(held.length - kept)
      return told
    },
    end() {
      const rest = hasStopped ? '' : held
      held = ''
      return rest
    },
  }
}
