import type { Source } from '@mira/shared'
import type { BuiltinTexts } from './builtin-texts.ts'
import { builtinTexts } from './builtin-texts.ts'
import type { AttachedItem, ChatEngine, EngineEvent, Passage, Question, Recollection } from './engine.ts'
import { type Language, plainWords } from './language.ts'

/** Name of the engine and of its model, as stored and shown. */
export const BUILTIN = 'built-in'

/** It reads the last message alone, so that any history would do. */
const CONTEXT_TOKENS = 8192
const LONGEST_SMALL_TALK_WORDS = 6
/** The tool that the introduction gives examples of. */
const CALCULATOR = 'calculator'

/**
 * The engine that needs no model: it says what it is and how to connect a model, calls the tool that a message surely
 * asks for, and answers everything else with quotes from what the person has added and from their earlier conversations.
 */
export function createBuiltin(): ChatEngine {
  return {
    name: BUILTIN,
    model: () => BUILTIN,
    contextTokens: async () => CONTEXT_TOKENS,
    title: async () => null,
    summarise: async () => null,
    async *answer(question: Question, signal: AbortSignal): AsyncGenerator<EngineEvent> {
      const asked = question.turns.at(-1)?.content ?? ''
      const { text, sources } =
        (await work(asked, question, signal)) ??
        (isAboutAttached(question) ? null : reply(asked, question)) ??
        (await quote(asked, question))
      if (signal.aborted) return
      if (sources.length > 0) yield { type: 'sources', sources }
      for (const piece of text.match(/\S+\s*/g) ?? []) {
        if (signal.aborted) return
        yield { type: 'text', text: piece }
      }
      yield { type: 'end', model: BUILTIN, usage: null }
    },
  }
}

interface Reply {
  text: string
  sources: Source[]
}

/** Whether items go with this very message. */
function isAboutAttached({ attached = [] }: Question): boolean {
  return attached.some(({ isOfQuestion }) => isOfQuestion)
}

/** What a tool found; null when none is asked for. */
async function work(asked: string, question: Question, signal: AbortSignal): Promise<Reply | null> {
  const tool = question.toolFor(asked)
  if (tool === null) return null
  const { isError, isWaiting, text } = await question.callTool(tool, JSON.stringify({ input: asked }), signal)
  if (isWaiting) return { text: builtinTexts[question.language].toolWaiting, sources: [] }
  return { text: isError ? builtinTexts[question.language].toolFailed(text) : text, sources: [] }
}

/** What needs no search: a greeting, thanks, and questions about the assistant itself; null for everything else. */
function reply(asked: string, { language, assistantName, tools, passages }: Question): Reply | null {
  const texts = builtinTexts[language]
  const words = plainWords(asked)
  const plain = words.join(' ')
  const introduction = texts.introduction(
    assistantName,
    tools.some(({ name }) => name === CALCULATOR),
    passages !== null,
  )
  if (words.length === 0 || isOnly(words, texts.greetingWords)) {
    return { text: `${texts.welcome} ${introduction}\n\n${texts.connecting}`, sources: [] }
  }
  if (isOnly(words, texts.thanksWords)) return { text: texts.thanks, sources: [] }
  if (texts.aboutConnecting.test(plain)) return { text: texts.connecting, sources: [] }
  if (texts.aboutItself.test(plain)) return { text: `${introduction}\n\n${texts.connecting}`, sources: [] }
  return null
}

/** Whether a message only greets or thanks, in any of the languages. */
export function isSmallTalk(text: string): boolean {
  const words = plainWords(text)
  return Object.values(builtinTexts).some(
    ({ greetingWords, thanksWords }) => isOnly(words, greetingWords) || isOnly(words, thanksWords),
  )
}

/** Whether a short message is made of these words alone. */
function isOnly(words: string[], list: string): boolean {
  const known = new Set(plainWords(list))
  return words.length <= LONGEST_SMALL_TALK_WORDS && words.every((word) => known.has(word))
}

async function quote(asked: string, question: Question): Promise<Reply> {
  const { language, timeZone, recall, passages, attached = [] } = question
  const texts = builtinTexts[language]
  const found = isAboutAttached(question) ? [] : await recall(asked)
  const ofAttached = new Set(attached.flatMap((item) => item.passages))
  const places = (passages ?? []).filter(({ source }) => !ofAttached.has(source.n))
  // of earlier messages, only what the question leads to
  const quoted = attached.filter(({ isOfQuestion, isMatch }) => isOfQuestion || isMatch)
  // numbered anew, in the order in which they are quoted: those that are left out would leave gaps
  const quotedPassages = [...quoted.flatMap(({ quotes }) => passagesOf(quotes, passages)), ...places]
  const numbered = new Map(
    quotedPassages.map(({ source, text }, at) => [source.n, { source: { ...source, n: at + 1 }, text }]),
  )
  const lineOf = placeLine(texts)
  const linesOf = (numbers: number[]) => numbers.flatMap((n) => numbered.get(n) ?? []).map(lineOf)
  if (found.length + places.length + quoted.length === 0) {
    const nothing = passages === null ? texts.nothingFound : texts.nothingFoundAnywhere
    return { text: `${nothing}\n\n${texts.limits} ${texts.connecting}`, sources: [] }
  }
  const lines = found.map((one, at) => `${numbered.size + at + 1}. ${quoteLine(one, texts, language, timeZone)}`)
  const placeLines = linesOf(places.map(({ source }) => source.n))
  const blocks = [
    ...quoted.flatMap((item) => attachedBlocks(item, linesOf(item.quotes), texts)),
    ...(placeLines.length > 0 ? [texts.foundInMemory(placeLines.length), placeLines.join('\n')] : []),
    ...(found.length > 0 ? [texts.found(found.length)] : []),
    ...(found.length > 0 ? [lines.join('\n')] : []),
    texts.limits,
  ]
  return {
    text: blocks.join('\n\n'),
    sources: [
      ...[...numbered.values()].map(({ source }) => source),
      ...found.map((one, at) => asSource(one, numbered.size + at)),
    ],
  }
}

/** The passages of these numbers, in their order. */
function passagesOf(numbers: number[], passages: Passage[] | null): Passage[] {
  return numbers.flatMap((n) => passages?.find(({ source }) => source.n === n) ?? [])
}

/** What can be said of an attached item without a model: quotes from it, and what is not known of it yet. */
function attachedBlocks(item: AttachedItem, quotes: string[], texts: BuiltinTexts): string[] {
  const title = plain(item.title)
  const heading = item.isMatch ? texts.inAttached(title) : texts.beginningOfAttached(title)
  return [
    ...(quotes.length > 0 ? [heading, quotes.join('\n')] : []),
    ...(quotes.length === 0 && item.pending.length === 0 ? [texts.nothingInAttached(title)] : []),
    ...(item.pending.length > 0 ? [texts.attachedPending(title)] : []),
  ]
}

function placeLine(texts: BuiltinTexts) {
  return ({ source }: Passage): string => {
    const { n, title, snippet, page, frame_number, timestamp_seconds } = source
    const place = [
      page === undefined ? null : texts.atPage(page),
      timestamp_seconds === undefined ? null : texts.atTime(clock(timestamp_seconds)),
      frame_number === undefined || timestamp_seconds !== undefined ? null : texts.atFrame(frame_number),
    ].filter((part) => part !== null)
    return `${n}. ${plain([title, ...place].join(', '))}: “${plain(snippet)}” [${n}]`
  }
}

/** Seconds as 4:05 or 1:04:05. */
function clock(seconds: number): string {
  const [whole, hours] = [Math.floor(seconds), Math.floor(seconds / 3600)]
  const two = (count: number) => String(count).padStart(2, '0')
  const minutes = Math.floor(whole / 60) % 60
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`
}

/** Words of a file as they stand, with what Markdown would read in them escaped. */
function plain(text: string): string {
  return text.replace(/[\\`*_[\]<>|~#]/g, '\\$&')
}

function quoteLine(found: Recollection, texts: BuiltinTexts, language: Language, timeZone: string): string {
  const date = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone }).format(found.createdAt)
  const whose = found.role === 'user' ? texts.youWrote : texts.iAnswered
  return `${date}, ${whose}: “${found.snippet}” (${found.sessionName})`
}

function asSource(found: Recollection, index: number): Source {
  return {
    n: index + 1,
    media_id: null,
    media_type: 'chat',
    title: found.sessionName,
    snippet: found.snippet,
    thumbnail: null,
    url: `/chat?session=${found.sessionId}`,
  }
}
