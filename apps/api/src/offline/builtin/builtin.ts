import { type Language, REMEMBER, type Source } from '@mira/shared'
import type {
  AttachedItem,
  ChatEngine,
  EngineEvent,
  Passage,
  Question,
  Recollection,
} from '../../engines/chat-engine.ts'
import { type Text, textsIn } from '../../platform/messages/texts.ts'
import { plainWords } from '../language/language.ts'

/** The words by which the built-in engine knows what it is asked. */
interface BuiltinWords {
  greeting: string
  thanks: string
  /** Questions about the assistant itself, without accents. */
  aboutItself: RegExp
  aboutConnecting: RegExp
}

/** One entry a language: a missing one does not compile. */
const builtinWords: Record<Language, BuiltinWords> = {
  en: {
    greeting: 'hi hello hey howdy greetings good morning afternoon evening day there',
    thanks: 'thanks thank you thx cheers very much a lot many so',
    aboutItself:
      /\b(what (can|do|could) you( do)?|who are you|what are you|how do you work|your (abilities|features|skills)|what is this)\b|^help( me)?$/,
    aboutConnecting:
      /\b(connect|configure|set up|setup|install|add|use)\b.*\b(model|llm|openai|ollama|gpt)\b|\b(language model|llm)\b/,
  },
  es: {
    greeting: 'hola buenas buenos dias tardes noches saludos hey que tal',
    thanks: 'gracias muchas mil por todo',
    aboutItself:
      /\b(que (puedes|sabes) hacer|quien eres|que eres|como funcionas|que es esto|tus (funciones|capacidades))\b|^ayuda(me)?$/,
    aboutConnecting:
      /\b(conect|configur|instal|anad|usar)\w*\b.*\b(modelo|llm|openai|ollama|gpt)\b|\b(modelo de lenguaje|llm)\b/,
  },
  fr: {
    greeting: 'bonjour bonsoir salut coucou hello ca va bonne journee',
    thanks: 'merci beaucoup bien mille',
    aboutItself:
      /\b(que (peux tu|sais tu|pouvez vous|savez vous) faire|qui (es tu|etes vous)|qu est ce que (tu peux|vous pouvez)|comment (fonctionnes tu|fonctionnez vous)|c est quoi)\b|^(aide|aide moi|aidez moi)$/,
    aboutConnecting:
      /\b(connect|configur|install|ajout|utilis)\w*\b.*\b(modele|llm|openai|ollama|gpt)\b|\b(modele de langage|llm)\b/,
  },
  de: {
    greeting: 'hallo hi hey guten morgen tag abend moin servus gruß grüß dich gott',
    thanks: 'danke vielen dank schon sehr herzlichen dir',
    aboutItself:
      /\b(was (kannst|konntest) du|wer bist du|was bist du|wie funktionierst du|was ist das hier|deine (fahigkeiten|funktionen))\b|^hilfe?$|^hilf mir$/,
    aboutConnecting:
      /\b(verbind|einricht|konfigur|install|hinzufug|benutz|nutz)\w*\b.*\b(modell|llm|openai|ollama|gpt)\b|\b(modell|llm|openai|ollama|gpt)\b.*\b(verbind|einricht|konfigur|install|hinzufug|nutz)\w*\b|\b(sprachmodell|llm)\b/,
  },
}

/** Name of the engine and of its model, as stored and shown. */
export const BUILTIN = 'built-in'

/** The engine reads the last message only, so any size would do. */
const CONTEXT_TOKENS = 8192
const LONGEST_SMALL_TALK_WORDS = 6
/** Longer messages are no questions about the assistant; the patterns for those are quadratic. */
const MAX_QUESTION_CHARACTERS = 1000
/** Most near matches shown; fewer than certain ones. */
const MAX_NEAR = 3
/** Most passages that replace the answer of an unreachable model. */
const MAX_WITHOUT_MODEL = 5
/** The tool that the introduction gives examples of. */
const CALCULATOR = 'calculator'

/**
 * The engine that needs no model: it says what it is and how to connect a model, calls the tool that a message surely
 * asks for, and answers everything else with quotes from the user's items and from their earlier conversations.
 */
export function createBuiltin(): ChatEngine {
  return {
    name: BUILTIN,
    model: () => BUILTIN,
    contextTokens: async () => CONTEXT_TOKENS,
    title: async () => null,
    summarise: async () => null,
    rephrase: async () => null,
    async *answer(question: Question, signal: AbortSignal): AsyncGenerator<EngineEvent> {
      const message = question.turns.at(-1)?.content ?? ''
      const { text, sources } =
        resume(question) ??
        (await useTool(message, question, signal)) ??
        (isAboutAttached(question) ? null : reply(message, question)) ??
        (await quote(message, question))
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

/** Answer written without a model, with its sources. */
interface Reply {
  text: string
  sources: Source[]
}

/** True when items are attached to the last message. */
function isAboutAttached({ attached = [] }: Question): boolean {
  return attached.some(({ isOfQuestion }) => isOfQuestion)
}

/** Continues an answer after the user's decision about a tool call; null for a new answer. */
function resume({ soFar, language }: Question): Reply | null {
  if (soFar?.called === undefined) return null
  const say = textsIn('builtin', language)
  const { text, isError, isDeclined } = soFar.called.result
  const answer = isDeclined ? say('toolDeclined') : isError ? say('toolFailed', { reason: text }) : text
  return { text: soFar.text === '' ? answer : `\n\n${answer}`, sources: [] }
}

/** Result of the tool that the message asks for; null when it asks for none. */
async function useTool(message: string, question: Question, signal: AbortSignal): Promise<Reply | null> {
  const tool = question.toolFor(message)
  if (tool === null) return null
  const { isError, isWaiting, text } = await question.callTool(tool, JSON.stringify({ input: message }), signal)
  const say = textsIn('builtin', question.language)
  if (isWaiting) return { text: say(tool === REMEMBER ? 'rememberWaiting' : 'toolWaiting'), sources: [] }
  return { text: isError ? say('toolFailed', { reason: text }) : text, sources: [] }
}

/** Answer that needs no search: to a greeting, thanks, or a question about the assistant; null for everything else. */
function reply(message: string, { language, assistantName, tools, memory }: Question): Reply | null {
  const text = textsIn('builtin', language)
  const { greeting, thanks, aboutItself, aboutConnecting } = builtinWords[language]
  const words = plainWords(message)
  const plain = words.join(' ')
  const introduction = text('introduction', {
    name: assistantName,
    canCalculate: tools.some(({ name }) => name === CALCULATOR) ? 'yes' : 'no',
    hasMemory: memory === 'closed' ? 'no' : 'yes',
  })
  if (words.length === 0 || isOnly(words, greeting)) {
    return { text: `${text('welcome')} ${introduction}\n\n${text('connecting')}`, sources: [] }
  }
  if (isOnly(words, thanks)) return { text: text('thanks'), sources: [] }
  if (plain.length > MAX_QUESTION_CHARACTERS) return null
  if (aboutConnecting.test(plain)) return { text: text('connecting'), sources: [] }
  if (aboutItself.test(plain)) return { text: `${introduction}\n\n${text('connecting')}`, sources: [] }
  return null
}

/** True for a short message made of these words only. */
function isOnly(words: string[], list: string): boolean {
  const listedWords = new Set(plainWords(list))
  return words.length <= LONGEST_SMALL_TALK_WORDS && words.every((word) => listedWords.has(word))
}

/** Quotes from the memory for when the selected model is unreachable; null when the memory has none. */
export function quoteWithoutModel(question: Question): Reply | null {
  const { sure, near } = placesOf(question)
  const places = (sure.length > 0 ? sure : near).slice(0, MAX_WITHOUT_MODEL)
  if (places.length === 0) return null
  const text = textsIn('builtin', question.language)
  const numbered = places.map((passage, index) => ({ ...passage, source: { ...passage.source, n: index + 1 } }))
  const lines = numbered.map(placeLine(text)).join('\n')
  return { text: `${text('withoutModel')}\n\n${lines}`, sources: numbered.map(({ source }) => source) }
}

async function quote(message: string, question: Question): Promise<Reply> {
  const { language, timeZone, recall, memory, passages, attached = [] } = question
  const text = textsIn('builtin', language)
  const { sure, near } = placesOf(question)
  // a message that needs nothing from the memory needs a model
  const isLookedUp = memory !== 'unasked' && !isAboutAttached(question)
  const recalled = isLookedUp ? await recall(message) : []
  // items of earlier messages are quoted only where the question leads to them
  const quoted = attached.filter(({ isOfQuestion, isMatch }) => isOfQuestion || isMatch)
  // renumbered in the order of quoting, since omitted ones would leave gaps
  const quotedPassages = [...quoted.flatMap(({ quotes }) => passagesOf(quotes, passages)), ...sure, ...near]
  const numbered = new Map(
    quotedPassages.map(({ source, text, certainty }, index) => [
      source.n,
      { source: { ...source, n: index + 1 }, text, certainty },
    ]),
  )
  const lineOf = placeLine(text)
  const linesOf = (numbers: number[]) => numbers.flatMap((n) => numbered.get(n) ?? []).map(lineOf)
  const placesIn = (places: Passage[]) => linesOf(places.map(({ source }) => source.n)).join('\n')
  const hasFound = recalled.length + sure.length + quoted.length > 0
  const hasAnything = hasFound || near.length > 0
  const recalledLines = recalled.map(
    (recollection, index) => `${numbered.size + index + 1}. ${quoteLine(recollection, text, language, timeZone)}`,
  )
  const nothing = memory === 'closed' ? text('nothingFound') : text('nothingFoundAnywhere')
  const blocks = [
    ...quoted.flatMap((item) => attachedBlocks(item, linesOf(item.quotes), text)),
    ...(sure.length > 0 ? [text('foundInMemory', { count: sure.length }), placesIn(sure)] : []),
    ...(recalled.length > 0 ? [text('found', { count: recalled.length }), recalledLines.join('\n')] : []),
    ...(memory === 'silent' ? [text('memorySilent')] : hasAnything || !isLookedUp ? [] : [nothing]),
    ...(near.length > 0 ? [text('near'), placesIn(near)] : []),
    hasAnything ? text('limits') : `${text('limits')} ${text('connecting')}`,
  ]
  return {
    text: blocks.join('\n\n'),
    sources: [
      ...[...numbered.values()].map(({ source }) => source),
      ...recalled.map((recollection, index) => asSource(recollection, numbered.size + index)),
    ],
  }
}

/** Passages that certainly answer the question, filled up with near matches when there are few. */
function placesOf({ passages, attached = [] }: Question): { sure: Passage[]; near: Passage[] } {
  const ofAttached = new Set(attached.flatMap((item) => item.passages))
  const places = passages.filter(({ source }) => !ofAttached.has(source.n))
  const sure = places.filter(({ certainty }) => certainty === 'found')
  const near = places.filter(({ certainty }) => certainty === 'perhaps')
  return { sure, near: near.slice(0, Math.max(0, MAX_NEAR - sure.length)) }
}

/** The passages of these numbers, in their order. */
function passagesOf(numbers: number[], passages: Passage[]): Passage[] {
  return numbers.flatMap((n) => passages.find(({ source }) => source.n === n) ?? [])
}

/** Description of an attached item without a model: quotes, and notes on the parts not known yet. */
function attachedBlocks(item: AttachedItem, quotes: string[], text: Text<'builtin'>): string[] {
  const title = plain(item.title)
  const heading = item.isMatch ? text('inAttached', { title }) : text('beginningOfAttached', { title })
  return [
    ...(quotes.length > 0 ? [heading, quotes.join('\n')] : []),
    ...(quotes.length === 0 && item.pending.length === 0 ? [text('nothingInAttached', { title })] : []),
    ...(item.pending.length > 0 ? [text('attachedPending', { title })] : []),
  ]
}

function placeLine(text: Text<'builtin'>) {
  return ({ source }: Passage): string => {
    const { n, title, snippet, page, page_kind: kind = 'page', page_title, frame_number, timestamp_seconds } = source
    const place = [
      page === undefined ? null : text('atPage', { page, kind, name: page_title ?? String(page) }),
      timestamp_seconds === undefined ? null : text('atTime', { clock: clock(timestamp_seconds) }),
      frame_number === undefined || timestamp_seconds !== undefined ? null : text('atFrame', { frame: frame_number }),
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

/** Words of a file with Markdown escaped. */
function plain(text: string): string {
  return text.replace(/[\\`*_[\]<>|~#]/g, '\\$&')
}

function quoteLine(recollection: Recollection, text: Text<'builtin'>, language: Language, timeZone: string): string {
  const date = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone }).format(recollection.createdAt)
  const whose = recollection.role === 'user' ? text('youWrote') : text('iAnswered')
  return `${date}, ${whose}: “${recollection.snippet}” (${recollection.sessionName})`
}

function asSource(recollection: Recollection, index: number): Source {
  return {
    n: index + 1,
    media_id: null,
    media_type: 'chat',
    session_id: recollection.sessionId,
    message_id: recollection.messageId,
    title: recollection.sessionName,
    snippet: recollection.snippet,
    thumbnail: null,
    url: `/chat?session=${recollection.sessionId}`,
  }
}
