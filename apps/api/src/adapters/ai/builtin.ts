import type { Source } from '@mira/shared'
import type { BuiltinTexts } from './builtin-texts.ts'
import { builtinTexts } from './builtin-texts.ts'
import type { ChatEngine, EngineEvent, Question, Recollection } from './engine.ts'
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
 * asks for, and answers everything else with quotes from the person's own earlier conversations.
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
        (await work(asked, question, signal)) ?? reply(asked, question) ?? (await quote(asked, question))
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

/** What a tool found; null when none is asked for. */
async function work(asked: string, question: Question, signal: AbortSignal): Promise<Reply | null> {
  const tool = question.toolFor(asked)
  if (tool === null) return null
  const { isError, text } = await question.callTool(tool, JSON.stringify({ input: asked }), signal)
  return { text: isError ? builtinTexts[question.language].toolFailed(text) : text, sources: [] }
}

/** What needs no search: a greeting, thanks, and questions about the assistant itself; null for everything else. */
function reply(asked: string, { language, assistantName, tools }: Question): Reply | null {
  const texts = builtinTexts[language]
  const words = plainWords(asked)
  const plain = words.join(' ')
  const introduction = texts.introduction(
    assistantName,
    tools.some(({ name }) => name === CALCULATOR),
  )
  if (words.length === 0 || isOnly(words, texts.greetingWords)) {
    return { text: `${texts.welcome} ${introduction}\n\n${texts.connecting}`, sources: [] }
  }
  if (isOnly(words, texts.thanksWords)) return { text: texts.thanks, sources: [] }
  if (texts.aboutConnecting.test(plain)) return { text: texts.connecting, sources: [] }
  if (texts.aboutItself.test(plain)) return { text: `${introduction}\n\n${texts.connecting}`, sources: [] }
  return null
}

/** Whether a short message is made of these words alone. */
function isOnly(words: string[], list: string): boolean {
  const known = new Set(plainWords(list))
  return words.length <= LONGEST_SMALL_TALK_WORDS && words.every((word) => known.has(word))
}

async function quote(asked: string, { language, timeZone, recall }: Question): Promise<Reply> {
  const texts = builtinTexts[language]
  const found = await recall(asked)
  if (found.length === 0) return { text: `${texts.nothingFound}\n\n${texts.limits} ${texts.connecting}`, sources: [] }
  const lines = found.map((one, index) => `${index + 1}. ${quoteLine(one, texts, language, timeZone)}`)
  return {
    text: `${texts.found(found.length)}\n\n${lines.join('\n')}\n\n${texts.limits}`,
    sources: found.map(asSource),
  }
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
