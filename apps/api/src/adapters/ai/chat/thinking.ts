/** A piece of what a model wrote: of its answer, or of the thoughts before it. */
export interface WrittenPiece {
  type: 'text' | 'reasoning'
  text: string
}

/** Takes apart what a model writes, however it is cut into pieces. */
export interface ThinkingSplitter {
  add(content: string): WrittenPiece[]
  /** Flushes buffered text. */
  end(): WrittenPiece[]
}

const opening = /^\s*<(think|thinking|thought)>\s*/i
/** Text that may become an opening tag when more arrives. */
const maybeOpening = /^\s*(<(t(h(i(n(k(i(n(g)?)?)?)?)?)?)?)?|<thou(g(h(t)?)?)?)?$/i
/** A model that writes nothing but white space for this long writes no tag. */
const LONGEST_START_CHARACTERS = 1000
const LONGEST_CLOSING_TAG = '</thinking>'.length

/**
 * Finds `<think>…</think>` at the beginning of what a model writes: some servers leave a reasoning model's thoughts in
 * its answer. White space between the two is dropped.
 */
export function createThinkingSplitter(): ThinkingSplitter {
  let state: 'start' | 'thinking' | 'after' | 'text' = 'start'
  let held = ''
  let closing = /<\/think>/i

  const readStart = (): WrittenPiece[] => {
    const tag = opening.exec(held)
    if (tag) {
      state = 'thinking'
      closing = new RegExp(`</${tag[1]}>`, 'i')
      held = held.slice(tag[0].length)
      return readThoughts()
    }
    if (held.length < LONGEST_START_CHARACTERS && maybeOpening.test(held)) return []
    state = 'text'
    return give('text', held)
  }

  const readThoughts = (): WrittenPiece[] => {
    const tag = closing.exec(held)
    if (tag) {
      const thought = held.slice(0, tag.index)
      held = held.slice(tag.index + tag[0].length)
      state = 'after'
      return [...piece('reasoning', thought), ...readAfter()]
    }
    // A tag that has begun may go on in the next piece.
    const tail = held.slice(-LONGEST_CLOSING_TAG)
    const begun = tail.lastIndexOf('<')
    const kept = begun === -1 ? 0 : tail.length - begun
    const thought = held.slice(0, held.length - kept)
    held = held.slice(held.length - kept)
    return piece('reasoning', thought)
  }

  const readAfter = (): WrittenPiece[] => {
    const text = held.trimStart()
    held = ''
    if (text === '') return []
    state = 'text'
    return piece('text', text)
  }

  const give = (type: WrittenPiece['type'], text: string): WrittenPiece[] => {
    held = ''
    return piece(type, text)
  }

  return {
    add(content) {
      if (state === 'text') return piece('text', content)
      held += content
      if (state === 'start') return readStart()
      return state === 'thinking' ? readThoughts() : readAfter()
    },
    end: () => (held.trim() === '' ? [] : give(state === 'thinking' ? 'reasoning' : 'text', held)),
  }
}

function piece(type: WrittenPiece['type'], text: string): WrittenPiece[] {
  return text === '' ? [] : [{ type, text }]
}
