// Quality of search, and of the passages that reach the model, compared with simple rankings of the same texts in the same run.
//   node bench/retrieval.bench.ts [--set FOLDER_OR_FILE] [--engine none|bag-of-words|http://127.0.0.1:8080/v1] [--model NAME]
//     [--half develop|judge|all] [--database-url postgresql://…] [--data-dir /path/of/the/files] [--misses]
//     [--keep FOLDER] [--json FILE] [--heading "Retrieval"] [--no-write]
// A set is a folder with Cranfield's files, a file of SQuAD, a year of a life (LifeBench, records and questions as .json.gz; also what a
// model receives of the records and earlier talks), a folder with LoCoMo's files (only what a model receives of earlier talks), or the own
// set (bench/retrieval), which measures more. Of the public ones, odd questions are the half to develop on, even ones the half that judges.
// --keep leaves the ingested set in a folder for the next run of the same set and engine, which then measures only questions. Misses can be
// listed for the half that search is developed on, not for the one that judges it.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startProcess } from '../apps/api/test/server-process.ts'
import { PASSWORD } from './support/chat-targets.ts'
import { conversationsAsFile, measurePromptEvidence } from './support/life-measures.ts'
import { connect, type Mira, mapConcurrently } from './support/mira-client.ts'
import {
  CHAT_MODEL,
  type MockModelServer,
  startMockModelServer,
  TRANSCRIPTION_MODEL,
} from './support/model-stand-in.ts'
import {
  isInPrompt,
  measureMessages,
  measurePhrases,
  measureSearches,
  measureWithoutModel,
  type Share,
  shareFound,
} from './support/own-set-measures.ts'
import { type Rankings, rankByBaselines } from './support/ranking-baselines.ts'
import { type Figures, figuresOf, mean } from './support/ranking-figures.ts'
import {
  type Cell,
  describeMachine,
  type FigureTable,
  type Machine,
  percentiles,
  report as reportFigures,
} from './support/results.ts'
import {
  type Half,
  type LifeSet,
  type OwnSet,
  type Question,
  type RetrievalSet,
  readSet,
} from './support/retrieval-sets.ts'
import { toFile, transcribeSpeech } from './support/things-to-files.ts'

const UPLOADS_AT_ONCE = 8
const SEARCHES_AT_ONCE = 2
/** Current time for the phrases of the own set. */
const PHRASES_ASKED_AT = '2026-11-18T12:00:00Z'
const MIRA = 'Mira'

const { values: flags } = parseArgs({
  options: {
    set: { type: 'string', default: join(import.meta.dirname, 'retrieval') },
    engine: { type: 'string', default: 'none' },
    model: { type: 'string' },
    half: { type: 'string', default: 'develop' },
    'database-url': { type: 'string' },
    'data-dir': { type: 'string', default: tmpdir() },
    misses: { type: 'boolean', default: false },
    keep: { type: 'string' },
    json: { type: 'string' },
    heading: { type: 'string', default: 'Retrieval' },
    'no-write': { type: 'boolean', default: false },
  },
})

interface Measured {
  questions: Question[]
  rankings: Rankings
  /** Share of questions whose passage the model would receive, by method. */
  given: Map<string, number>
  shares: Share[]
  searchMs: number[]
  ingestionSeconds: number
  failed: number
}

const isOwnSet = (set: RetrievalSet): set is OwnSet => 'followUps' in set
const isLifeSet = (set: RetrievalSet): set is LifeSet => 'talks' in set

async function bench(): Promise<void> {
  const machine = describeMachine()
  if (!['develop', 'judge', 'all'].includes(flags.half)) throw new Error(`There is no half “${flags.half}”.`)
  const set = readSet(flags.set, flags.half === 'all' ? null : (flags.half as Half))
  const model = await startMockModelServer(flags.engine, flags.model)
  const folder = flags.keep ?? mkdtempSync(join(flags['data-dir'], 'mira-bench-'))
  mkdirSync(folder, { recursive: true })
  try {
    const measured = await measure(set, model, folder)
    const engine = model.embeddingModel ?? 'no embedding engine'
    report(set, engine, machine, measured)
  } finally {
    await model.close()
    if (flags.keep === undefined) rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(set: RetrievalSet, model: MockModelServer, folder: string): Promise<Measured> {
  const inFiles = set.things.filter(({ kind }) => kind !== 'chat')
  const files = new Set(inFiles.map(({ id }) => id))
  const questions = set.questions.filter(({ gains }) => [...gains.keys()].some((id) => files.has(id)))
  const { rankings, given: givenByWay } = await rankByBaselines(inFiles, questions, model.embed)
  const shareGiven = (sentences: Map<Question, string[]>) =>
    mean(questions.map((one) => Number(isInPrompt(one, set.things, sentences.get(one) ?? []))))
  const given = new Map(isOwnSet(set) ? [...givenByWay].map(([way, one]) => [way, shareGiven(one)]) : [])
  const measured: Measured = { questions, rankings, given, shares: [], searchMs: [], ingestionSeconds: 0, failed: 0 }
  await withServer(environmentOf(model, folder), async (mira) => {
    const ingestion = await ingest(set, model, mira, join(folder, 'things.json'))
    const thingOf = new Map(ingestion.things)
    Object.assign(measured, { failed: ingestion.failed, ingestionSeconds: ingestion.seconds })
    const responses = await mapConcurrently(questions, SEARCHES_AT_ONCE, ({ text, language }) =>
      mira.search(text, language),
    )
    measured.searchMs = responses.map(({ ms }) => ms)
    const ranked = responses.map(({ results }) => [...new Set(results.map((one) => thingOf.get(one.media_id) ?? ''))])
    rankings.set(MIRA, new Map(questions.map((one, index) => [one, ranked[index] ?? []])))
    if (isLifeSet(set))
      measured.shares.push(...(await measurePromptEvidence({ mira, model, set, rankings }, set.questions)))
    if (!isOwnSet(set)) return
    const run = { mira, model, set, thingOf }
    const messages = await measureMessages(run)
    given.set(MIRA, messages[0]?.share ?? Number.NaN)
    const foundShare = shareFound(questions, responses, thingOf)
    measured.shares.push(...messages, foundShare, ...(await measureSearches(run)), ...(await measureWithoutModel(run)))
  })
  if (!isOwnSet(set)) return measured
  const clock = new URL('./support/fixed-clock.ts', import.meta.url).href
  const fixed = { NODE_OPTIONS: `--import ${clock}`, FIXED_CLOCK: PHRASES_ASKED_AT }
  await withServer({ DATA_DIR: join(folder, 'phrases'), ...fixed }, async (mira) => {
    measured.shares.push(...(await measurePhrases(mira, set.phrases)))
  })
  return measured
}

function environmentOf(model: MockModelServer, folder: string): Record<string, string> {
  return {
    DATA_DIR: join(folder, 'data'),
    OPENAI_BASE_URL: model.baseUrl,
    CHAT_MODEL,
    TRANSCRIPTION_MODEL,
    INGEST_CONCURRENCY: '4',
    ...(model.embeddingModel === null ? {} : { EMBEDDING_MODEL: model.embeddingModel }),
    ...(flags['database-url'] === undefined ? {} : { DATABASE_URL: flags['database-url'] }),
  }
}

async function withServer(environment: Record<string, string>, work: (mira: Mira) => Promise<void>): Promise<void> {
  const server = startProcess('server.ts', { ADMIN_PASSWORD: PASSWORD, LOG_LEVEL: 'error', ...environment })
  try {
    await work(await connect(await server.ready))
  } finally {
    server.kill('SIGTERM')
    await server.exited
  }
}

interface Ingestion {
  /** Thing ids by item id. */
  things: [string, string][]
  failed: number
  seconds: number
}

/** Ingests a set, or reuses what an earlier run kept. */
async function ingest(set: RetrievalSet, model: MockModelServer, mira: Mira, cacheFile: string): Promise<Ingestion> {
  if (existsSync(cacheFile)) {
    await mira.setChatEngine('auto')
    return JSON.parse(readFileSync(cacheFile, 'utf8')) as Ingestion
  }
  const things = new Map<string, string>()
  const startedAt = performance.now()
  await uploadAll(set, model, mira, things)
  const failed = await mira.waitUntilProcessed()
  const ingestion = { things: [...things], failed, seconds: (performance.now() - startedAt) / 1000 }
  console.info(`${set.things.length} things were ingested within ${ingestion.seconds.toFixed(0)} s`)
  writeFileSync(cacheFile, JSON.stringify(ingestion))
  return ingestion
}

async function uploadAll(
  set: RetrievalSet,
  model: MockModelServer,
  mira: Mira,
  thingOf: Map<string, string>,
): Promise<void> {
  const spokenThings = set.things.filter(({ speech }) => speech.length > 0)
  model.server.transcriptions = transcribeSpeech(spokenThings)
  const inFiles = set.things.filter(({ kind }) => kind !== 'chat')
  await mapConcurrently(inFiles, UPLOADS_AT_ONCE, async (thing) => {
    thingOf.set(await mira.upload(await toFile(thing, spokenThings), { generate_caption: 'false' }), thing.id)
  })
  if (isLifeSet(set) && set.talks.length > 0) await mira.importConversations(conversationsAsFile(set.talks))
  for (const { pages } of set.things.filter(({ kind }) => kind === 'chat')) await mira.sendMessage(pages.join('\n'))
}

function report(set: RetrievalSet, engine: string, machine: Machine, measured: Measured): void {
  const { questions, rankings, given, shares, searchMs } = measured
  const ways = [MIRA, ...[...rankings.keys()].filter((way) => way !== MIRA)]
  const rowsOf = (some: Question[]) =>
    ways.map((way) => {
      const { ndcg, recall, onPage, first, inFive } = figuresOf(some, rankings.get(way) ?? new Map())
      return { way, ndcg, recall, onPage, first, inFive, given: given.get(way) ?? null }
    })
  const all = rowsOf(questions)
  const { median, p95 } = percentiles(searchMs)
  const database = flags['database-url'] === undefined ? 'embedded' : 'PostgreSQL'
  const setup = `${set.name}, ${engine}, half: ${flags.half}, ${database}`
  const even = questions.filter(({ isOdd }) => !isOdd)
  const tables: FigureTable[] = [
    rankedTable(setup, all),
    ...(isOwnSet(set) || flags.half !== 'all' ? [] : [rankedTable(`${setup}, even questions`, rowsOf(even))]),
    ...(isOwnSet(set) ? [byLanguage(setup, questions, rankings)] : []),
    ...(shares.length > 0 ? [sharesTable(setup, shares)] : []),
    { setup: `${setup}, time`, metrics: ['median (ms)', 'p95 (ms)'], rows: [['a search', median, p95]] },
  ]
  if (measured.failed > 0) console.warn(`${measured.failed} things couldn’t be processed.`)
  reportFigures(flags.heading, machine, tables, flags['no-write'])
  if (flags.misses) listMisses(measured)
  if (flags.json === undefined) return
  const summary = { set: set.name, engine, half: flags.half, searchMs: { median, p95 }, ways: all }
  const withoutMissed = shares.map(({ what, count, share }) => ({ what, count, share }))
  writeFileSync(flags.json, `${JSON.stringify({ ...summary, shares: withoutMissed }, null, 2)}\n`)
}

function rankedTable(setup: string, rows: (Figures & { way: string; given: number | null })[]): FigureTable {
  return {
    setup,
    metrics: ['nDCG@10', 'recall@10', 'recall@20', 'first', 'in five', 'passage given'],
    rows: rows.map((row) => [row.way, row.ndcg, row.recall, row.onPage, row.first, row.inFive, row.given]),
  }
}

function byLanguage(setup: string, questions: Question[], rankings: Rankings): FigureTable {
  const ways = [MIRA, 'BM25', 'plain sum'].filter((way) => rankings.has(way))
  const rows = [...new Set(questions.map(({ language }) => language))].map((language): [string, ...Cell[]] => {
    const some = questions.filter((one) => one.language === language)
    const figures = ways.map((way) => figuresOf(some, rankings.get(way) ?? new Map()))
    return [language, some.length, ...figures.flatMap(({ first, inFive }) => [first, inFive])]
  })
  const metrics = ['questions', ...ways.flatMap((way) => [`${way}: first`, `${way}: in five`])]
  return { setup: `${setup}, by language`, metrics, rows }
}

function sharesTable(setup: string, shares: Share[]): FigureTable {
  const rows = shares.map(({ what, count, share }): [string, ...Cell[]] => [what, count, share])
  return { setup: `${setup}, by kind`, metrics: ['questions', 'as it should be'], rows }
}

function listMisses({ questions, rankings, shares }: Measured): void {
  if (flags.half !== 'develop') {
    console.warn('Only misses of the half “develop” are listed.')
    return
  }
  for (const question of questions) {
    const ranked = rankings.get(MIRA)?.get(question) ?? []
    const rank = ranked.findIndex((id) => question.gains.has(id)) + 1
    if (rank !== 1) console.info(`${rank === 0 ? 'not found' : `rank ${rank}`}: ${question.id} ${question.text}`)
  }
  for (const { what, missed } of shares) for (const one of missed) console.info(`${what}: ${one}`)
}

await bench()
