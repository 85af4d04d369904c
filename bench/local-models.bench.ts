// Cost of running a model on this machine, apart from the model itself: its process, loading, requests, memory, checking files.
//   node bench/local-models.bench.ts [--models <MODELS_DIR>] [--rounds 20] [--no-write]
// Without --models the tiny models of the tests are run, whose own work takes no time; with it the real ones in that folder.
// The first request starts the process and loads the model; the others find it in memory. Memory is the resident memory of the process.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Question } from '../apps/api/src/engines/chat-engine.ts'
import { catalogue, type LocalCapability, type LocalModelInfo } from '../apps/api/src/engines/local/catalogue.ts'
import type { LocalAi } from '../apps/api/src/engines/local/local-ai.ts'
import { hashFile } from '../apps/api/src/engines/local/model-files.ts'
import { openLocalAi } from '../apps/api/src/modules/admin/models/index.ts'
import { silentLog } from '../apps/api/test/database-template.ts'
import { installTinyModels } from '../apps/api/test/local-model-files.ts'
import { plainImage } from '../apps/api/test/pictures.ts'
import { testSandboxing } from '../apps/api/test/test-sandboxing.ts'
import { writeWav } from '../apps/api/test/wav-files.ts'
import { describeMachine, type FigureTable, percentiles, report } from './support/results.ts'

const HASHED_BYTES = 118_000_000
const SOUND_SECONDS = 300

const { values: flags } = parseArgs({
  options: {
    models: { type: 'string' },
    rounds: { type: 'string', default: '20' },
    'no-write': { type: 'boolean', default: false },
  },
})

const signal = new AbortController().signal
const folder = mkdtempSync(join(tmpdir(), 'mira-bench-models-'))
const directory = flags.models ?? folder
if (flags.models === undefined) installTinyModels(directory)

/** A request for each capability, with its name. */
const units: Record<LocalCapability, { name: string; ask(local: LocalAi): Promise<unknown> }> = {
  embedding: {
    name: 'a question',
    ask: (local) => local.embedder.embed(['Where did I park the car?'], 'query', signal),
  },
  image_embedding: {
    name: 'a picture of 512 pixels',
    ask: async (local) => local.imageEmbedder.embedPictures([await picture], signal),
  },
  transcription: {
    name: `${SOUND_SECONDS / 60} minutes of sound`,
    ask: (local) => local.transcriber.transcribe(sound, { durationSeconds: SOUND_SECONDS, signal }),
  },
  caption: {
    name: 'a picture of 512 pixels',
    ask: async (local) =>
      local.captioner.caption({ data: await picture, contentType: 'image/jpeg' }, { language: 'en', signal }),
  },
  chat: {
    name: 'a short answer',
    ask: async (local) => {
      const events = []
      for await (const event of local.chat()?.answer(greeting, signal) ?? []) events.push(event)
      return events
    },
  },
  rerank: {
    name: '30 passages for a question',
    ask: (local) =>
      local.reranker.rerank(
        'Where did I park the car?',
        Array.from({ length: 30 }, (_, index) => `The car stands on level ${index} of the garage.`),
        signal,
      ),
  },
}
const greeting: Question = {
  instructions: 'Be brief.',
  turns: [{ role: 'user', content: 'Where did I park the car?' }],
  language: 'en',
  timeZone: 'UTC',
  assistantName: 'Mira',
  recall: async () => [],
  memory: 'unasked',
  passages: [],
  tools: [],
  toolFor: () => null,
  callTool: async () => ({ isError: true, text: '' }),
}
const picture = plainImage({ width: 512, height: 384 })
const sound = writeWav([{ seconds: SOUND_SECONDS }])

/** Resident memory of model processes, now and at its peak; a sandbox may sit between them and this process. */
function modelMemory(): { nowMb: number; maxMb: number } {
  let [nowMb, maxMb] = [0, 0]
  for (const name of readdirSync('/proc').filter((one) => /^\d+$/.test(one))) {
    try {
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0')
      if (!/(^|\/)node$/.test(command[0] ?? '') || !command.some((one) => one.endsWith('model-process.ts'))) continue
      if (!descendsFromHere(Number(name))) continue
      const status = readFileSync(`/proc/${name}/status`, 'utf8')
      nowMb += Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024
      maxMb += Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024
    } catch {
      // it has already ended
    }
  }
  return { nowMb, maxMb }
}

function descendsFromHere(pid: number): boolean {
  if (pid <= 1) return false
  const parent = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  return parent === process.pid || descendsFromHere(parent)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

async function measure(model: LocalModelInfo): Promise<FigureTable['rows']> {
  const { capability } = model
  const local = await openLocalAi({
    sandboxing: testSandboxing,
    config: { dataDir: directory, localModels: 'auto', modelsDir: directory, modelsHubUrl: 'http://127.0.0.1:9' },
    chosenModel: () => model.id,
    limits: undefined,
    log: silentLog,
  })
  try {
    if (local.check(capability).state !== 'ok') return []
    const { name, ask } = units[capability]
    const first = await timed(() => ask(local))
    const times: number[] = []
    const rounds = capability === 'transcription' ? 2 : Number(flags.rounds)
    for (let round = 0; round < rounds; round++) times.push(await timed(() => ask(local)))
    const { median, p95 } = percentiles(times)
    const { nowMb, maxMb } = modelMemory()
    return [[`${model.id}: ${name}`, first, median, p95, nowMb, maxMb]]
  } finally {
    await local.close()
  }
}

// model processes don't keep their parent alive, and nothing else here does
const awake = setInterval(() => {}, 60_000)
try {
  const machine = describeMachine()
  const rows: FigureTable['rows'] = []
  for (const model of catalogue) rows.push(...(await measure(model)))
  const large = join(folder, 'large')
  writeFileSync(large, Buffer.alloc(HASHED_BYTES, 7))
  const hashing = await timed(() => hashFile(large, signal))
  const [setup, note] =
    flags.models === undefined
      ? ['tiny models', 'tiny models of the tests: what is around a model']
      : ['real models', '']
  const metrics = ['first (ms)', 'median (ms)', 'p95 (ms)', 'memory (MB)', 'most (MB)']
  const start = { setup: 'start', metrics: ['value (ms)'], rows: [] as FigureTable['rows'] }
  start.rows.push([`hashing ${HASHED_BYTES / 1e6} MB`, hashing])
  report('Local models', machine, [{ setup, metrics, rows, note }, start], flags['no-write'])
} finally {
  clearInterval(awake)
  rmSync(folder, { recursive: true, force: true })
}
