/** Joins small pieces of text. */
export interface TextJoiner {
  add(text: string): void
  /** Emits the text that is held back; call it before any other event, and at the end. */
  flush(): void
}

/**
 * Gives the first piece at once and then one joined piece per window, so that a fast model does not cost an event a
 * token. Half a character (one of two surrogates) is held back until the other half has come.
 */
export function createTextJoiner(windowMs: number, give: (text: string) => void): TextJoiner {
  let buffer = ''
  let givenAt = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined

  const giveHeld = (isLast: boolean) => {
    clearTimeout(timer)
    timer = undefined
    const isHalf = !isLast && /[\uD800-\uDBFF]$/.test(buffer)
    const text = isHalf ? buffer.slice(0, -1) : buffer
    buffer = isHalf ? buffer.slice(-1) : ''
    if (text === '') return
    givenAt = performance.now()
    give(text)
  }

  return {
    add(text) {
      buffer += text
      if (timer !== undefined) return
      const waitMs = givenAt + windowMs - performance.now()
      if (waitMs <= 0) giveHeld(false)
      else timer = setTimeout(giveHeld, waitMs, false)
    },
    flush: () => giveHeld(true),
  }
}
