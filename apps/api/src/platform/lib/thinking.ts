/** A piece of a model's output: answer text or reasoning. `rethink`: all text so far was reasoning. */
export type WrittenPiece = { type: 'text' | 'reasoning'; text: string } | { type: 'rethink' }

/** Separates reasoning from text in a model's streamed output. */
export interface ThinkingSplitter {
  add(content: string): WrittenPiece[]
  /** Flushes buffered text. */
  end(): WrittenPiece[]
  /** True while the output only counts as reasoning because this model is known to omit the opening tag. */
  readonly isAssumed: boolean
}

/** Tags around reasoning: of most models, Seed, Mistral, Kimi, Cohere, MedGemma and gpt-oss. */
const TAGS: readonly { opening: RegExp; closing: RegExp }[] = [
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
/** Tags before an answer without reasoning. */
const BARE_START = /^(?:<\|start\|>assistant)?<\|channel\|>final<\|message\|>/
/** All opening tags, to detect output that may still become one. */
const OPENINGS = [
  ...['<think>', '<thinking>', '<thought>', '<thoughts>', '<reasoning>', '<seed:think>', '[think]', '◁think▷'],
  ...['<|start_thinking|>', '<unused94>', '<|start|>assistant<|channel|>', '<|channel|>analysis<|message|>'],
  ...['<|channel|>commentary<|message|>', '<|channel|>final<|message|>'],
]
/** A closing tag whose opening tag the chat template wrote; in prose about tags, they're surrounded by spaces. */
const LONE_CLOSING = /(^|[^\s`'"“(]|\n[ \t]*)(<\/think(?:ing)?>|\[\/THINK\]|◁\/think▷)(?!`)/i
const ANY_OPENING = /<think(?:ing)?>|\[THINK\]|◁think▷/i
const ANY_CLOSING = /<\/think(?:ing)?>|\[\/THINK\]|◁\/think▷/i
/** Start of a closing tag at the end of a text, or the first of several tags that belong together. */
const MAYBE_CLOSING =
  /(?:<\|end\|>)?(?:<\|start\|>[a-z]{0,9})?(?:<\|channel\|>[^<\n]{0,40})?(?:<[^>\n]{0,30}|\[[^\]\n]{0,8}|◁[^▷\n]{0,8})?$/
/** After this much whitespace no opening tag is expected. */
const MAX_START_CHARACTERS = 1000
const MAX_TAG_CHARACTERS = 60
/** Maximum length of text that a lone closing tag turns into reasoning. */
const MAX_LONE_REASONING_CHARACTERS = 200_000

/**
 * Finds reasoning at the beginning of a model's output: some servers leave it in the answer, a few without its opening tag.
 * Whitespace between reasoning and answer is dropped.
 * @param beginsThinking true when this model is known to omit the opening tag.
 */
export function createThinkingSplitter({ beginsThinking = false } = {}): ThinkingSplitter {
  let state: 'start' | 'thinking' | 'after' | 'text' = beginsThinking ? 'thinking' : 'start'
  let pending = ''
  let closing = ANY_CLOSING
  let isAssumed = beginsThinking
  /** Text emitted so far, while a lone closing tag may follow; null when none can. */
  let beforeClosing: string | null = ''

  const readStart = (): WrittenPiece[] => {
    const start = pending.trimStart()
    const tag = TAGS.find(({ opening }) => opening.test(start))
    if (tag !== undefined) {
      state = 'thinking'
      beforeClosing = null
      closing = tag.closing
      pending = start.replace(tag.opening, '')
      return readReasoning()
    }
    if (BARE_START.test(start)) {
      state = 'after'
      pending = start.replace(BARE_START, '')
      return readAfter()
    }
    if (pending.length < MAX_START_CHARACTERS && mayBecomeTag(start)) return []
    state = 'text'
    return readText()
  }

  const readReasoning = (): WrittenPiece[] => {
    const tag = closing.exec(pending)
    if (tag) {
      const reasoning = pending.slice(0, tag.index)
      pending = pending.slice(tag.index + tag[0].length)
      state = 'after'
      isAssumed = false
      beforeClosing = null
      return [...piece('reasoning', reasoning), ...readAfter()]
    }
    // a partial tag may continue in the next piece
    const reasoning = pending.slice(0, pending.length - partialTagLength(pending))
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
    if (beforeClosing === null || beforeClosing.length > MAX_LONE_REASONING_CHARACTERS) return emitText(pending)
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
    return emitText(pending.slice(0, pending.length - partialTagLength(pending)))
  }

  const emitText = (text: string): WrittenPiece[] => {
    pending = pending.slice(text.length)
    if (beforeClosing !== null) beforeClosing += text
    return piece('text', text)
  }

  return {
    add(content) {
      pending += content
      if (state === 'start') return readStart()
      if (state === 'thinking') return readReasoning()
      return state === 'after' ? readAfter() : readText()
    },
    end() {
      const rest = pending
      pending = ''
      // no reasoning this time: all of it was the answer
      if (isAssumed) return [...piece('reasoning', rest), ...piece('text', `${beforeClosing ?? ''}${rest}`)]
      if (rest.trim() === '') return state === 'text' ? piece('text', rest) : []
      return piece(state === 'thinking' ? 'reasoning' : 'text', rest)
    },
    get isAssumed() {
      return isAssumed
    },
  }
}

/** A complete text without its reasoning. */
export function answerIn(text: string): string {
  const splitter = createThinkingSplitter()
  let answer = ''
  for (const piece of [...splitter.add(text), ...splitter.end()]) {
    if (piece.type === 'rethink') answer = ''
    else if (piece.type === 'text') answer += piece.text
  }
  return answer
}

function mayBecomeTag(start: string): boolean {
  const text = start.toLowerCase()
  if (OPENINGS.some((opening) => opening.startsWith(text))) return true
  // other words may follow the name of a channel
  return /^(?:<\|start\|>assistant)?<\|channel\|>[^<\n]{0,60}(?:<[^>\n]{0,12})?$/i.test(start)
}

/** Number of characters at the end that may begin a closing tag. */
function partialTagLength(text: string): number {
  const tail = text.slice(-MAX_TAG_CHARACTERS)
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

/** Tracks whether a streamed text ends within code. */
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
