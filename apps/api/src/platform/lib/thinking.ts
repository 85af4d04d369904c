/** A piece of what a model wrote: of its answer, or of the thoughts before it. `rethink`: all of it so far was thoughts. */
export type WrittenPiece = { type: 'text' | 'reasoning'; text: string } | { type: 'rethink' }

/** Takes apart what a model writes, however it is cut into pieces. */
export interface ThinkingSplitter {
  add(content: string): WrittenPiece[]
  /** Flushes buffered text. */
  end(): WrittenPiece[]
  /** True while what came so far only counts as thoughts because this model is known to begin within them. */
  readonly isAssumed: boolean
}

/** Marks around thoughts: of most models, Seed, Mistral, Kimi, Cohere, MedGemma and gpt-oss. */
const MARKS: readonly { opening: RegExp; closing: RegExp }[] = [
  ...['think', 'thinking', 'thought', 'thoughts', 'reasoning', 'seed:think'].map((name) => ({
    opening: new RegExp(`^<${name}>\\s*`, 'i'),
    closing: new RegExp(`</${name}>`, 'i'),
  })),
  { opening: /^\[THINK\]\s*/, closing: /\[\/THINK\]/ },
  { opening: /^◁think▷\s*/, closing: /◁\/think▷/ },
  { opening: /^<\|START_THINKING\|>\s*/, closing: /<\|END_THINKING\|>/ },
  { opening: /^<unused94>(?:thought\s)?\s*/, closing: /<unused95>/ },
  {
    opening: /^(?:<\|start\|>assistant)?<\|channel\|>(?:analysis|commentary)[^<\n]{0,40}<\|message\|>\s*/,
    closing: /(?:<\|end\|>)?(?:<\|start\|>assistant)?<\|channel\|>final(?:[^<\n]{0,40})<\|message\|>/,
  },
]
/** Marks that stand before an answer without thoughts. */
const BARE_START = /^(?:<\|start\|>assistant)?<\|channel\|>final<\|message\|>/
/** Beginnings of all opening marks, for telling what may still become one. */
const OPENINGS = [
  ...['<think>', '<thinking>', '<thought>', '<thoughts>', '<reasoning>', '<seed:think>', '[think]', '◁think▷'],
  ...['<|start_thinking|>', '<unused94>', '<|start|>assistant<|channel|>', '<|channel|>analysis<|message|>'],
  ...['<|channel|>commentary<|message|>', '<|channel|>final<|message|>'],
]
/** A closing mark whose opening one the server had written itself; prose about tags stands between spaces. */
const LONE_CLOSING = /(^|[^\s`'"“(]|\n[ \t]*)(<\/think(?:ing)?>|\[\/THINK\]|◁\/think▷)(?!`)/i
const ANY_OPENING = /<think(?:ing)?>|\[THINK\]|◁think▷/i
const ANY_CLOSING = /<\/think(?:ing)?>|\[\/THINK\]|◁\/think▷/i
/** Beginning of a closing mark at the end of a text, or the first of several marks that belong together. */
const MAYBE_CLOSING =
  /(?:<\|end\|>)?(?:<\|start\|>[a-z]{0,9})?(?:<\|channel\|>[^<\n]{0,40})?(?:<[^>\n]{0,30}|\[[^\]\n]{0,8}|◁[^▷\n]{0,8})?$/
/** A model that writes nothing but white space for this long writes no mark. */
const LONGEST_START_CHARACTERS = 1000
const LONGEST_MARK_CHARACTERS = 60
/** Longest text that a lone closing mark turns into thoughts. */
const LONGEST_LONE_THOUGHT_CHARACTERS = 200_000

/**
 * Finds thoughts at the beginning of what a model writes: some servers leave a reasoning model's thoughts in its answer, a
 * few without the mark that opens them. White space between the two is dropped.
 * @param beginsThinking whether this model is known to begin within its thoughts.
 */
export function createThinkingSplitter({ beginsThinking = false } = {}): ThinkingSplitter {
  let state: 'start' | 'thinking' | 'after' | 'text' = beginsThinking ? 'thinking' : 'start'
  let pending = ''
  let closing = ANY_CLOSING
  let isAssumed = beginsThinking
  /** Text given so far, while a lone closing mark may come; null when none can. */
  let beforeClosing: string | null = ''

  const readStart = (): WrittenPiece[] => {
    const start = pending.trimStart()
    const mark = MARKS.find(({ opening }) => opening.test(start))
    if (mark !== undefined) {
      state = 'thinking'
      beforeClosing = null
      closing = mark.closing
      pending = start.replace(mark.opening, '')
      return readThoughts()
    }
    if (BARE_START.test(start)) {
      state = 'after'
      pending = start.replace(BARE_START, '')
      return readAfter()
    }
    if (pending.length < LONGEST_START_CHARACTERS && mayBecomeMark(start)) return []
    state = 'text'
    return readText()
  }

  const readThoughts = (): WrittenPiece[] => {
    const tag = closing.exec(pending)
    if (tag) {
      const reasoning = pending.slice(0, tag.index)
      pending = pending.slice(tag.index + tag[0].length)
      state = 'after'
      isAssumed = false
      beforeClosing = null
      return [...piece('reasoning', reasoning), ...readAfter()]
    }
    // a mark that has begun may go on in the next piece
    const reasoning = pending.slice(0, pending.length - keptOf(pending))
    pending = pending.slice(reasoning.length)
    if (isAssumed) beforeClosing += reasoning
    return piece('reasoning', reasoning)
  }

  const readAfter = (): WrittenPiece[] => {
    const text = pending.trimStart()
    pending = ''
    if (text === '') return []
    state = 'text'
    beforeClosing = null
    return piece('text', text)
  }

  const readText = (): WrittenPiece[] => {
    if (beforeClosing === null || beforeClosing.length > LONGEST_LONE_THOUGHT_CHARACTERS) return give(pending)
    const tail = beforeClosing.slice(-1)
    const closing = LONE_CLOSING.exec(tail + pending)
    if (closing !== null) {
      const index = closing.index + (closing[1]?.length ?? 0) - tail.length
      const before = pending.slice(0, index)
      if (!ANY_OPENING.test(beforeClosing + before) && !isInCode(beforeClosing + before)) {
        pending = pending.slice(index + (closing[2]?.length ?? 0))
        state = 'after'
        beforeClosing = null
        return [...piece('text', before), { type: 'rethink' }, ...readAfter()]
      }
    }
    return give(pending.slice(0, pending.length - keptOf(pending)))
  }

  const give = (text: string): WrittenPiece[] => {
    pending = pending.slice(text.length)
    if (beforeClosing !== null) beforeClosing += text
    return piece('text', text)
  }

  return {
    add(content) {
      pending += content
      if (state === 'start') return readStart()
      if (state === 'thinking') return readThoughts()
      return state === 'after' ? readAfter() : readText()
    },
    end() {
      const rest = pending
      pending = ''
      // it thought nothing this time: all of it was the answer
      if (isAssumed) return [...piece('reasoning', rest), ...piece('text', `${beforeClosing ?? ''}${rest}`)]
      if (rest.trim() === '') return state === 'text' ? piece('text', rest) : []
      return piece(state === 'thinking' ? 'reasoning' : 'text', rest)
    },
    get isAssumed() {
      return isAssumed
    },
  }
}

/** A whole text without the thoughts in it. */
export function answerIn(text: string): string {
  const splitter = createThinkingSplitter()
  let answer = ''
  for (const piece of [...splitter.add(text), ...splitter.end()]) {
    if (piece.type === 'rethink') answer = ''
    else if (piece.type === 'text') answer += piece.text
  }
  return answer
}

function mayBecomeMark(start: string): boolean {
  const text = start.toLowerCase()
  if (OPENINGS.some((opening) => opening.startsWith(text))) return true
  // between the name of a channel and its message others may stand
  return /^(?:<\|start\|>assistant)?<\|channel\|>[^<\n]{0,60}(?:<[^>\n]{0,12})?$/i.test(start)
}

/** Number of characters at the end that may begin a closing mark. */
function keptOf(text: string): number {
  const tail = text.slice(-LONGEST_MARK_CHARACTERS)
  const partialTag = MAYBE_CLOSING.exec(tail)
  return partialTag === null ? 0 : tail.length - partialTag.index
}

/** True when a text ends within code, fenced or between backticks. */
function isInCode(text: string): boolean {
  const code = createCodeReader()
  code.add(text)
  return code.isOpen()
}

const FENCE = /^ {0,3}(?:```|~~~)/
const FENCE_CHARACTERS = 6

/** Follows a text as it comes, for whether it ends within code. */
export function createCodeReader() {
  let fences = 0
  let lineStart = ''
  let backticks = 0
  return {
    add(text: string): void {
      for (const [index, part] of text.split('\n').entries()) {
        if (index > 0) {
          if (FENCE.test(lineStart)) fences++
          lineStart = ''
          backticks = 0
        }
        lineStart = (lineStart + part.slice(0, FENCE_CHARACTERS)).slice(0, FENCE_CHARACTERS)
        backticks += part.split('`').length - 1
      }
    },
    isOpen: (): boolean => (fences + (FENCE.test(lineStart) ? 1 : 0)) % 2 === 1 || backticks % 2 === 1,
  }
}

function piece(type: 'text' | 'reasoning', text: string): WrittenPiece[] {
  return text === '' ? [] : [{ type, text }]
}
