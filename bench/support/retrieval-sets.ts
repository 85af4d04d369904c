import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

export type Half = 'develop' | 'judge'
export type ThingKind = 'text' | 'letter' | 'pdf' | 'invoice' | 'manual' | 'scan' | 'film' | 'recording' | 'chat'

/** Item to ingest. */
export interface Document {
  id: string
  language: string
  kind: ThingKind
  filename: string
  /** Content, page by page. */
  pages: string[]
  /** Speech in a video or recording, instead of pages. */
  speech: { second: number; text: string }[]
}

/** Question with its relevant things. */
export interface Question {
  id: string
  language: string
  text: string
  /** Relevance of each item to the question. */
  gains: Map<string, number>
  /** Words of the passage that answers it; null when the whole thing does. */
  passage: string | null
  /** True for an odd position in a public set. */
  isOdd?: boolean
}

/** A collection of things and questions. */
export interface RetrievalSet {
  name: string
  things: Document[]
  questions: Question[]
}

/** An earlier conversation with an assistant. */
export interface Conversation {
  id: string
  day: string
  messages: { role: 'user' | 'assistant'; content: string }[]
}
/** A user's year; answers may also be in their earlier conversations. */
export interface LifeSet extends RetrievalSet {
  talks: Conversation[]
  /** Ids of the talks that help to answer a question, by its id. */
  conversationsOf: Map<string, string[]>
  /** Messages of talks that answer a question, by its id. */
  messagesOf?: Map<string, string[]>
}

export interface FollowUp extends Question {
  /** Earlier messages, alternating between user and assistant. */
  turns: string[]
}
export interface SureQuestion extends Question {
  way: string
}
export interface Phrase {
  id: string
  language: string
  text: string
  /** Accepted alternatives: media types in alphabetical order. */
  kinds: string[][]
  /** Accepted alternatives: inclusive days; null is open-ended. */
  ranges: { from: string | null; to: string | null }[]
}
export interface OwnSet extends RetrievalSet {
  followUps: FollowUp[]
  smallTalk: { id: string; text: string }[]
  unanswerable: { id: string; isNonsense: boolean; text: string }[]
  scripts: Question[]
  exact: SureQuestion[]
  phrases: Phrase[]
}

const read = (folder: string, file: string) => readFileSync(join(folder, file), 'utf8')

/** Full text of a thing. */
export function textOf({ pages, speech }: Document): string {
  return speech.length > 0 ? speech.map(({ text }) => text).join('\n') : pages.join('\n')
}

/** Reads a set from a folder or file, in any of these formats: the own set, Cranfield, SQuAD, LoCoMo, or a year of a life. */
export function readSet(path: string, half: Half | null): RetrievalSet | OwnSet | LifeSet {
  if (path.endsWith('.json.gz')) return halfOf(readLife(path), half)
  if (path.endsWith('.json')) return halfOf(readSquad(path), half)
  const files = readdirSync(path)
  if (files.includes('cran.qry')) return halfOf(readCranfield(path), half)
  return files.includes('things-en.txt') ? readOwnSet(path, half) : halfOf(readLocomo(path, files), half)
}

/** Half of a public set: odd questions for development, even ones for judging. */
function halfOf<Set extends RetrievalSet>(set: Set, half: Half | null): Set {
  const questions = set.questions.map((question, index) => ({ ...question, isOdd: index % 2 === 0 }))
  return { ...set, questions: questions.filter(({ isOdd }) => half === null || isOdd === (half === 'develop')) }
}

/** English text without pages. */
function plainThing(id: string, text: string): Document {
  return { id, language: 'en', kind: 'text', filename: `${id}.txt`, pages: [text], speech: [] }
}

const WORST_GRADE = 4

function readCranfield(folder: string): RetrievalSet {
  const bodies = (file: string) =>
    read(folder, file)
      .split(/^\.I \d+\n/m)
      .slice(1)
      .map((entry) => (/^\.W\n(.*)/ms.exec(entry)?.[1] ?? '').replace(/\s+/g, ' ').trim())
  const things = bodies('cran.all.1400')
    .map((text, index) => plainThing(String(index + 1), text))
    .filter(({ pages }) => pages[0] !== '')
  const questions = bodies('cran.qry').map(
    (text, index): Question => ({ id: String(index + 1), language: 'en', text, gains: new Map(), passage: null }),
  )
  for (const line of read(folder, 'cranqrel').split('\n')) {
    const [question = 0, thing = 0, grade = 0] = line.trim().split(/\s+/).map(Number)
    const isRelevant = grade >= 1 && grade <= WORST_GRADE
    if (isRelevant) questions[question - 1]?.gains.set(String(thing), WORST_GRADE + 1 - grade)
  }
  return { name: 'Cranfield', things, questions: questions.filter(({ gains }) => gains.size > 0) }
}

interface SquadFile {
  data: { paragraphs: { context: string; qas: { id: string; question: string }[] }[] }[]
}
const QUESTIONS_OF_A_PARAGRAPH = 4

function readSquad(file: string): RetrievalSet {
  const { data } = JSON.parse(readFileSync(file, 'utf8')) as SquadFile
  const paragraphs = data.flatMap((article) => article.paragraphs)
  const things = paragraphs.map(({ context }, index) => plainThing(`paragraph-${index + 1}`, context))
  const questions = paragraphs.flatMap(({ qas }, index) =>
    [...new Map(qas.map((one) => [one.question.trim(), one])).values()]
      .slice(0, QUESTIONS_OF_A_PARAGRAPH)
      .map(({ id, question }): Question => {
        const gains = new Map([[`paragraph-${index + 1}`, 1]])
        return { id, language: 'en', text: question.trim(), gains, passage: null }
      }),
  )
  return { name: 'SQuAD', things, questions }
}

interface LifeFile {
  person: string
  records: { id: string; type: string; at: string; text: string }[]
  questions: { q: string; evidence: string[] }[]
}
const TALK = 'agent_chat'

/** A user's year from their phone: short texts, and conversations with an assistant. */
function readLife(file: string): LifeSet {
  const { person, records, questions } = JSON.parse(gunzipSync(readFileSync(file)).toString()) as LifeFile
  const talks = records.filter(({ type }) => type === TALK)
  const isTalk = new Set(talks.map(({ id }) => id))
  const withTalks = questions.map(({ q, evidence }, index): Question & { talks: string[] } => {
    const gains = new Map(evidence.filter((id) => !isTalk.has(id)).map((id) => [id, 1]))
    const talks = evidence.filter((id) => isTalk.has(id))
    return { id: String(index + 1), language: 'en', text: q, gains, passage: null, talks }
  })
  return {
    name: `a year of ${person}`,
    things: records.filter(({ id }) => !isTalk.has(id)).map(({ id, text }) => plainThing(id, text)),
    talks: talks.map(({ id, at, text }) => ({ id, day: at.slice(0, 10), messages: splitMessages(text) })),
    conversationsOf: new Map(withTalks.map(({ id, talks }) => [id, talks])),
    questions: [
      ...withTalks.filter(({ gains }) => gains.size > 0),
      ...withTalks.filter(({ gains, talks }) => gains.size === 0 && talks.length > 0),
    ],
  }
}

type LocomoFile = { speaker_a: string; qa: { question: string; evidence?: string[]; category: number }[] } & Record<
  string,
  unknown
>
interface LocomoMessage {
  speaker: string
  dia_id: string
  text?: string
  blip_caption?: string
}
/** Questions of this category have no answer. */
const UNANSWERABLE_CATEGORY = 5
/** Multiplier that spreads the questions of each file over both halves. */
const SHUFFLE_FACTOR = 7919

/** Months of talks between two people of LoCoMo, one file each; the first speaker is the user, the other the assistant. */
function readLocomo(folder: string, files: string[]): LifeSet {
  const set = { name: 'LoCoMo', things: [], talks: [] as Conversation[], questions: [] as Question[] }
  const conversationsOf = new Map<string, string[]>()
  const messagesOf = new Map<string, string[]>()
  for (const file of files.filter((name) => name.endsWith('.json')).sort()) {
    const content = JSON.parse(read(folder, file)) as LocomoFile
    const texts = new Map<string, string>()
    const talkId = (messageId: string) => `${file.replace('.json', '')}-${messageId.split(':')[0]}`
    for (const [key, messages] of Object.entries(content)) {
      if (!/^session_\d+$/.test(key)) continue
      const [, time = '', day = ''] = /^(.*) on (.*)$/.exec(String(content[`${key}_date_time`])) ?? []
      const said = (messages as LocomoMessage[]).map(({ speaker, dia_id, text = '', blip_caption }) => {
        texts.set(dia_id, text)
        const shared = blip_caption === undefined ? '' : ` [shared ${blip_caption}]`
        const role = speaker === content.speaker_a ? ('user' as const) : ('assistant' as const)
        return { role, content: text + shared }
      })
      const id = talkId(`D${key.slice('session_'.length)}`)
      set.talks.push({ id, day: new Date(`${day} ${time} UTC`).toISOString(), messages: said })
    }
    for (const { question, evidence = [], category } of content.qa) {
      const ids = evidence.flatMap((part) => part.match(/D\d+:\d+/g) ?? []).filter((id) => texts.has(id))
      if (category === UNANSWERABLE_CATEGORY || ids.length === 0) continue
      const id = String(set.questions.length + 1)
      set.questions.push({ id, language: 'en', text: question, gains: new Map(), passage: null })
      conversationsOf.set(id, [...new Set(ids.map(talkId))])
      messagesOf.set(
        id,
        ids.map((one) => texts.get(one) ?? ''),
      )
    }
  }
  const order = ({ id }: Question) => (Number(id) * SHUFFLE_FACTOR) % set.questions.length
  return { ...set, questions: set.questions.toSorted((a, b) => order(a) - order(b)), conversationsOf, messagesOf }
}

/** Messages of a conversation, each starting with its role; the heading is skipped. */
function splitMessages(text: string): Conversation['messages'] {
  return text.split(/\n\n(?=(?:user|assistant): )/).flatMap((message) => {
    const [, role, content = ''] = /^(user|assistant): (.*)$/s.exec(message) ?? []
    return role === undefined ? [] : [{ role: role as 'user' | 'assistant', content: content.trim() }]
  })
}

/** Reads the set in bench/retrieval; its README describes the files. */
export function readOwnSet(folder: string, half: Half | null): OwnSet {
  const things = readdirSync(folder)
    .filter((file) => /^things-.*\.txt$/.test(file))
    .flatMap((file) => readThings(read(folder, file), file === 'things-zh-ja-th-ko.txt'))
  const lines = (file: string) =>
    read(folder, file)
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => line.split(' | ').map((field) => field.trim()))
      .filter(([, ofHalf]) => half === null || ofHalf === half)
      .map(([id = '', , ...rest]) => ({ id, rest }))
  const question = (id: string, language: string, thing: string, text: string, passage: string): Question => {
    if (
      !contains(
        things.find((one) => one.id === thing),
        passage,
      )
    )
      throw new Error(`${id}: “${passage}” is not in the thing`)
    return { id, language, text, gains: new Map([[thing, 1]]), passage }
  }
  const questionsOf = (file: string) =>
    lines(file).map(({ id, rest: [language = '', thing = '', text = '', passage = ''] }) =>
      question(id, language, thing, text, passage),
    )
  return {
    name: 'own set',
    things,
    questions: questionsOf('questions.txt'),
    scripts: questionsOf('scripts.txt'),
    followUps: lines('follow-ups.txt').map(
      ({ id, rest: [language = '', thing = '', turns = '', text = '', passage = ''] }) => ({
        ...question(id, language, thing, text, passage),
        turns: turns.split(' > '),
      }),
    ),
    smallTalk: lines('small-talk.txt').map(({ id, rest: [, text = ''] }) => ({ id, text })),
    unanswerable: lines('nowhere.txt').map(({ id, rest: [language, text = ''] }) => ({
      ...{ id, text, isNonsense: language === '-' },
    })),
    exact: lines('sure.txt').map(({ id, rest: [way = '', thing = '', text = '', passage = ''] }) => {
      const { language = 'en' } = things.find((one) => one.id === thing) ?? {}
      return { ...question(id, language, thing, text, passage), way }
    }),
    phrases: lines('phrases.txt').map(readPhrase),
  }
}

/** Lower-case letters and digits only, to ignore line breaks, hyphens and quotation marks. */
export function normalize(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKC')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim()
}

function contains(thing: Document | undefined, passage: string): boolean {
  return thing !== undefined && normalize(textOf(thing)).includes(normalize(passage))
}

const languageById = /^(es|fr|de|zh|ja|th|ko|mix)-/

function readThings(text: string, isByScript: boolean): Document[] {
  return text
    .split(/^=== /m)
    .slice(1)
    .map((entry) => {
      const [head = '', ...body] = entry.trimEnd().split('\n')
      const [id = '', kind = '', filename = ''] = head.split(' |').map((field) => field.trim())
      const isSpoken = kind === 'film' || kind === 'recording'
      const speech = body.map((line) => {
        const [, second = '', words = ''] = /^(\d+) (.*)$/.exec(line) ?? []
        return { second: Number(second), text: words }
      })
      const pages = body.join('\n').replace(/^me: /gm, '').split('\n---\n')
      return {
        ...{ id, kind: kind as ThingKind, filename },
        language: languageById.exec(id)?.[1] ?? (isByScript ? 'mix' : 'en'),
        pages: isSpoken ? [] : pages,
        speech: isSpoken ? speech : [],
      }
    })
}

function readPhrase({ id, rest }: { id: string; rest: string[] }): Phrase {
  const [language = '', text = '', kinds = '', ranges = ''] = rest
  return {
    ...{ id, language, text },
    kinds: kinds.split(' or ').map((one) => (one === '-' ? [] : one.split(',').toSorted())),
    ranges: ranges.split(' or ').map((one) => {
      const [from = '', to = ''] = one === '-' ? [] : one.split('..')
      return { from: from || null, to: to || null }
    }),
  }
}
