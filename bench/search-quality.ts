// How well searches find what is meant, by the kind of question, in a made memory of four languages
// (support/search-corpus.txt, support/search-questions.txt).
//   node bench/search-quality.ts [--engines words,test,local] [--no-write]
// `local` needs MODELS_DIR with a model of texts; without it it is left out.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Embedder, ImageEmbedder } from '../apps/api/src/adapters/ai/understanding.ts'
import { buildMemory } from '../apps/api/src/context-memory.ts'
import { openLocalAi } from '../apps/api/src/context-models.ts'
import { type Database, openDatabase } from '../apps/api/src/db/client.ts'
import { THRESHOLDS, type Thresholds } from '../apps/api/src/features/memory/calibrate.ts'
import { createLog } from '../apps/api/src/log.ts'
import { silentLog } from '../apps/api/test/database-template.ts'
import { insertMediaItem, insertMoment, insertUser } from '../apps/api/test/factories.ts'
import { startOpenAiServer } from '../apps/api/test/openai-server.ts'
import { describeMachine, table, writeSection } from './support/results.ts'

const RESULTS = 20
const DIMENSIONS = 1024
/** What is tried on one half of the questions. */
const CHANCES = [2, 2.5, 3, 3.5, 4, 4.5, 5]
const CERTAINTY_ABOVE = 4.5
const NONSENSE = 'nonsense'

const { values: flags } = parseArgs({
  options: {
    engines: { type: 'string', default: 'words,test,local' },
    'no-write': { type: 'boolean', default: false },
  },
})

interface CorpusItem {
  line: string
  language: string
  kind: string
  tags: string[]
  parts: { at: number | null; text: string }[]
}
interface Question {
  kind: string
  text: string
  /** Words of the line of the item that is meant; empty for nonsense. */
  wanted: string
  second: number | null
}
interface Engine {
  name: string
  embedder: Embedder | null
  imageEmbedder: ImageEmbedder | null
  close(): Promise<void>
}
type Rank = number | null

const linesOf = (file: string) =>
  readFileSync(join(import.meta.dirname, 'support', file), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))

const corpus = linesOf('search-corpus.txt').map(readItem)
const questions = linesOf('search-questions.txt').map(readQuestion)

function readItem(line: string): CorpusItem {
  const [, language = '', kind = '', rest = ''] = /^(\w+) (\w+) (.*)$/.exec(line) ?? []
  const tags = [...rest.matchAll(/#(\w+)/g)].map(([, tag = '']) => tag)
  const parts = rest
    .replace(/ #\w+/g, '')
    .split(' / ')
    .map((text) => {
      const [, second, said] = ((kind === 'film' || kind === 'recording') && /^(\d+) (.*)$/.exec(text)) || []
      return { at: second === undefined ? null : Number(second), text: said ?? text }
    })
  return { line, language, kind, tags, parts }
}

function readQuestion(line: string): Question {
  const [kind = '', text = '', wanted = '', second] = line.split('|').map((part) => part.trim())
  if (wanted !== '' && corpus.filter((item) => item.line.includes(wanted)).length !== 1) {
    throw new Error(`“${wanted}” names not one line of the corpus`)
  }
  return { kind, text, wanted, second: second === undefined ? null : Number(second) }
}

async function bench(): Promise<void> {
  const machine = describeMachine()
  const dataDir = mkdtempSync(join(tmpdir(), 'mira-bench-quality-'))
  const database = await openDatabase({ dataDir, log: silentLog })
  try {
    const memory = await fill(database)
    const sections: string[] = []
    for (const name of flags.engines.split(',')) {
      const engine = await openEngine(name)
      if (engine === null) continue
      sections.push(await measure(database, memory, engine))
      await engine.close()
    }
    const body = [
      `\`node bench/search-quality.ts\`, ${new Date().toISOString().slice(0, 10)}: ${machine}; embedded database.`,
      `${corpus.length} made items in English, Spanish, French and German, ${questions.length} questions. hit@1 and hit@5: the share of questions whose item (by second: that moment of it) is the first result, or among the first five; MRR: the mean of 1 / its rank. Nonsense is right when nothing is found. The test engine is a bag of words that knows synonyms of 25 words in four languages; its pictures are told to it in words, so that “by picture” says that the way through the vectors of pictures works, not how well a model sees.`,
      ...sections,
    ].join('\n\n')
    console.info(`\n${body}\n`)
    if (!flags['no-write']) writeSection('Search quality', body)
  } finally {
    await database.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

interface Filled {
  userId: string
  /** Of each item, as the corpus has them. */
  ids: string[]
  /** What is on the picture of an item. */
  looks: Map<string, string>
}

const types = { film: 'video', recording: 'audio', paper: 'document', note: 'document' } as const
const configurations: Record<string, string> = { en: 'english', es: 'spanish', fr: 'french', de: 'german' }

async function fill(database: Database): Promise<Filled> {
  const { id: userId } = await insertUser(database, { can_upload: true })
  const filled: Filled = { userId, ids: [], looks: new Map() }
  for (const [number, { language, kind, tags, parts }] of corpus.entries()) {
    const mediaType = types[kind as keyof typeof types] ?? 'image'
    const item = await insertMediaItem(database, userId, { mediaType, tags, originalFilename: `IMG_${4000 + number}` })
    filled.ids.push(item.id)
    const configuration = configurations[language] ?? 'simple'
    if (kind === 'look') {
      const path = `look ${item.id}`
      filled.looks.set(path, parts[0]?.text ?? '')
      await database.prisma.mediaPart.create({
        data: { mediaItemId: item.id, userId, kind: 'picture', number: 1, path, sizeBytes: 1, width: 1, height: 1 },
      })
      continue
    }
    for (const [position, { at, text: body }] of parts.entries()) {
      const place =
        at === null
          ? kind === 'paper'
            ? { kind: 'text' as const, page: position + 1 }
            : { kind: kind === 'picture' ? ('caption' as const) : ('text' as const) }
          : { kind: 'speech' as const, startSeconds: at, endSeconds: at + 8 }
      await insertMoment(database, item, { body, position, language: configuration, ...place })
    }
  }
  return filled
}

async function openEngine(name: string): Promise<Engine | null> {
  if (name === 'words') return { name: 'Word search alone', embedder: null, imageEmbedder: null, close: async () => {} }
  if (name === 'test') return openTestEngine()
  const modelsDir = process.env.MODELS_DIR
  if (modelsDir === undefined) return null
  const local = await openLocalAi({
    config: { localModels: 'auto', modelsDir, modelsHubUrl: 'http://127.0.0.1:9' },
    chosenModel: () => null,
    limits: undefined,
    log: createLog('silent'),
  })
  if (local.check('embedding').state !== 'ok') return null
  const { embedder } = local
  return {
    name: `Models of this machine: ${embedder.model()}`,
    embedder,
    // the corpus tells in words what its pictures look like: a model that sees has nothing to look at
    imageEmbedder: null,
    close: () => local.close(),
  }
}

async function openTestEngine(): Promise<Engine> {
  const server = await startOpenAiServer()
  server.embeddings = { dimensions: DIMENSIONS }
  const embed = async (texts: string[]) => {
    const response = await fetch(`${server.baseUrl}/embeddings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'test-embedding', input: texts }),
    })
    const { data } = (await response.json()) as { data: { embedding: number[] }[] }
    return { vectors: data.map(({ embedding }) => unit(embedding)), model: 'test-embedding', dimensions: DIMENSIONS }
  }
  const common = { engine: 'remote' as const, model: () => 'test-embedding' }
  return {
    name: 'Test engine',
    embedder: { ...common, embed: (texts) => embed(texts) },
    imageEmbedder: {
      ...common,
      embedTexts: (texts) => embed(texts),
      embedPictures: (pictures) => embed(pictures.map((picture) => Buffer.from(picture).toString())),
    },
    close: () => server.close(),
  }
}

function unit(vector: number[]): number[] {
  const length = Math.hypot(...vector)
  return vector.map((one) => one / length)
}

async function measure(database: Database, filled: Filled, engine: Engine): Promise<string> {
  const build = (thresholds: Thresholds) =>
    buildMemory({
      log: createLog('silent'),
      database,
      ai: {
        embedding: () => engine.embedder,
        imageEmbedding: () => engine.imageEmbedder,
        formerEmbedder: () => null,
        formerImageEmbedder: () => null,
        reasonOff: () => null,
      },
      wantFilling: () => {},
      limits: { queryTimeoutMs: 60_000 },
      signPath: (_user, path) => path,
      thresholds,
    })
  const { embedding } = build(THRESHOLDS)
  const signal = new AbortController().signal
  for (const id of engine.embedder === null ? [] : filled.ids) {
    const item = { id, userId: filled.userId }
    await embedding.embedItem(item, signal)
    await embedding.lookItem(item, async ({ path }) => Buffer.from(filled.looks.get(path) ?? ''), signal)
  }
  const asked = (thresholds: Thresholds) => askAll(build(thresholds).memory, filled)
  const found = await asked(THRESHOLDS)
  const parts = [`### ${engine.name}`, report(found, questions)]
  if (engine.embedder !== null) {
    // every other question of each kind
    const isFirstHalf = (_: Question, at: number) => at % 2 === 0
    const [half, other] = [questions.filter(isFirstHalf), questions.filter((one, at) => !isFirstHalf(one, at))]
    let best = { thresholds: THRESHOLDS, score: -1, ranks: found }
    for (const chance of CHANCES) {
      const thresholds = { chance, certainty: chance + CERTAINTY_ABOVE }
      const ranks = await asked(thresholds)
      const score = scoreOf(ranks, half)
      // of equals, the one that is nearest to what is in use
      const isNearer = Math.abs(chance - THRESHOLDS.chance) < Math.abs(best.thresholds.chance - THRESHOLDS.chance)
      if (score > best.score || (score === best.score && isNearer)) best = { thresholds, score, ranks }
    }
    parts.push(
      `Thresholds that are best for one half of the questions (mean of MRR and the share of nonsense that finds nothing): chance ${best.thresholds.chance}, certainty ${best.thresholds.certainty}; in use are ${THRESHOLDS.chance} and ${THRESHOLDS.certainty}. On the other half they score ${scoreOf(best.ranks, other).toFixed(3)}, those in use ${scoreOf(found, other).toFixed(3)}:`,
      report(best.ranks, other),
    )
  }
  return parts.join('\n\n')
}

/** For each question the rank of what is meant, null when it is not found; for nonsense that of anything. */
async function askAll(memory: ReturnType<typeof buildMemory>['memory'], filled: Filled): Promise<Map<Question, Rank>> {
  const searcher = { userId: filled.userId, timeZone: 'UTC', language: 'en', inAnalytics: false }
  const ranks = new Map<Question, Rank>()
  for (const question of questions) {
    const { results } = await memory.search(searcher, { query: question.text, limit: RESULTS, include_frames: true })
    const meant = filled.ids[corpus.findIndex(({ line }) => line.includes(question.wanted))]
    const at = results.findIndex(
      ({ media_id, timestamp_seconds }) =>
        question.kind === NONSENSE ||
        (media_id === meant && (question.second === null || timestamp_seconds === question.second)),
    )
    ranks.set(question, at === -1 ? null : at + 1)
  }
  return ranks
}

const mean = (values: number[]) => values.reduce((sum, one) => sum + one, 0) / Math.max(1, values.length)

function scoreOf(ranks: Map<Question, Rank>, of: Question[]): number {
  const reciprocal = (question: Question) => (ranks.get(question) ? 1 / (ranks.get(question) ?? 1) : 0)
  const [meant, nonsense] = [of.filter(({ kind }) => kind !== NONSENSE), of.filter(({ kind }) => kind === NONSENSE)]
  return (mean(meant.map(reciprocal)) + mean(nonsense.map((one) => (ranks.get(one) === null ? 1 : 0)))) / 2
}

function report(ranks: Map<Question, Rank>, of: Question[]): string {
  const kinds = [...new Set(of.map(({ kind }) => kind))]
  const rows = kinds.map((kind) => {
    const got = of.filter((question) => question.kind === kind).map((question) => ranks.get(question) ?? null)
    if (kind === NONSENSE) {
      return [kind, got.length, '', '', '', share(got, (rank) => rank === null)]
    }
    const within = (most: number) => share(got, (rank) => rank !== null && rank <= most)
    return [
      kind,
      got.length,
      within(1),
      within(5),
      mean(got.map((rank) => (rank === null ? 0 : 1 / rank))).toFixed(2),
      '',
    ]
  })
  return table(['questions', 'number', 'hit@1', 'hit@5', 'MRR', 'found nothing'], rows)
}

function share(ranks: Rank[], isCounted: (rank: Rank) => boolean): string {
  return `${Math.round((ranks.filter(isCounted).length / ranks.length) * 100)} %`
}

await bench()
