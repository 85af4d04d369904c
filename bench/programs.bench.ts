// Time to first token through this server's OpenAI-compatible API, compared with the model server itself and the chat.
//   node bench/programs.bench.ts [--rounds 100] [--database-url postgresql://…] [--no-write]
// One stream, alternating. A question to `mira` searches the memory; nothing of /v1 is stored.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startOpenAiServer } from '../apps/api/test/openai-server.ts'
import { startProcess } from '../apps/api/test/server-process.ts'
import { connectToModel, connectToOpenAiApi, connectToServer, PASSWORD, type Target } from './support/chat-targets.ts'
import { describeMachine, type FigureTable, percentiles, report } from './support/results.ts'

const MODEL = 'bench'
const QUESTION = 'Tell me of the token, and be brief'
/** Rounds until code and connections are warm. */
const WARM_UP_ROUNDS = 10

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '100' },
    'database-url': { type: 'string' },
    'no-write': { type: 'boolean', default: false },
  },
})
const machine = describeMachine()
const model = await startOpenAiServer()
model.models = [MODEL]
model.defaultResponse = { text: ['token1 ', 'token2 ', 'token3 '] }

/** Median and 95th percentile of the time to first token, alternating between the targets. */
async function measure(setup: string, environment: Record<string, string>): Promise<FigureTable> {
  const dataDir = mkdtempSync(join(tmpdir(), 'mira-bench-'))
  const server = startProcess('server.ts', {
    DATA_DIR: dataDir,
    ADMIN_PASSWORD: PASSWORD,
    OPENAI_BASE_URL: model.baseUrl,
    CHAT_MODEL: MODEL,
    LOG_LEVEL: 'error',
    ...environment,
  })
  try {
    const url = await server.ready
    const targets: [string, Target][] = [
      ['the model server', connectToModel(model.baseUrl)],
      ['the chat, a running conversation', await connectToServer(url, 1)],
      ['`/v1` with its model', await connectToOpenAiApi(url, MODEL)],
      ['`/v1` with `mira`', await connectToOpenAiApi(url, 'mira')],
    ]
    const times = new Map<string, number[]>(targets.map(([name]) => [name, []]))
    for (let round = 0; round < WARM_UP_ROUNDS + Number(flags.rounds); round++) {
      for (const [name, target] of targets) {
        const { firstTokenMs } = await target.ask(0, QUESTION)
        if (round >= WARM_UP_ROUNDS) times.get(name)?.push(firstTokenMs)
        // don't ask while the previous answer is still being stored
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      model.requests.length = 0
    }
    const direct = percentiles(times.get('the model server') ?? []).median
    const rows = [...times].map(([name, values]): FigureTable['rows'][number] => {
      const { median, p95 } = percentiles(values)
      return [name, median, p95, median - direct]
    })
    return { setup, metrics: ['first token, median (ms)', 'p95 (ms)', 'added (ms)'], rows }
  } finally {
    server.kill('SIGTERM')
    await server.exited
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const tables = [await measure('embedded', {})]
const databaseUrl = flags['database-url']
if (databaseUrl) tables.push(await measure('PostgreSQL', { DATABASE_URL: databaseUrl }))
await model.close()
report('Programs', machine, tables, flags['no-write'])
