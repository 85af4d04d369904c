// Photos ingested by Mira and by Directus, a file library that npm can install, alternating on one PostgreSQL.
//   node bench/peers.bench.ts --photos DIR --database-url postgresql://… --peers DIR [--rounds 3] [--no-write]
// DIR of --photos holds JPEGs, or a folder `2mp` with them. Directus is installed into the DIR of --peers unless it's there;
// nothing of it is committed. Each of both has a temporary database. All settings are a new user's.
// A photo counts as done once its thumbnail exists: Directus makes one on the first request, which is part of the time, and Mira
// makes its own. Mira also reads the text in photos unless a row says otherwise, which Directus can't.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createServerDatabase } from '../apps/api/test/database-template.ts'
import { freePort } from '../apps/api/test/free-port.ts'
import { startProcess } from '../apps/api/test/server-process.ts'
import { PASSWORD } from './support/chat-targets.ts'
import { connect, type FileToUpload, mapConcurrently } from './support/mira-client.ts'
import { measureFamily } from './support/resident-memory.ts'
import { describeMachine, type FigureTable, percentiles, report } from './support/results.ts'
import { startEnvironment } from './support/started-server.ts'

const [NODE, DIRECTUS] = ['node@22', 'directus@12.4.0']
const UPLOAD_CONCURRENCY = 3
const [START_MS, REST_MS] = [300_000, 60_000]

const { values: flags } = parseArgs({
  options: {
    photos: { type: 'string' },
    'database-url': { type: 'string' },
    peers: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    'no-write': { type: 'boolean', default: false },
  },
})

/** Running product that ingests photos. */
interface Peer {
  pid: number
  /** Resolves once each has a thumbnail. */
  ingest(photos: FileToUpload[], fields?: Record<string, string>): Promise<void>
  close(): Promise<void>
}

function requireFlag(name: 'photos' | 'database-url' | 'peers'): string {
  const value = flags[name]
  if (value === undefined) throw new Error(`--${name} is missing.`)
  return value
}

async function readPhotos(): Promise<FileToUpload[]> {
  const root = requireFlag('photos')
  const folder = existsSync(join(root, '2mp')) ? join(root, '2mp') : root
  const names = readdirSync(folder).filter((name) => /\.jpe?g$/i.test(name))
  if (names.length === 0) throw new Error(`There is no JPEG in ${folder}.`)
  return Promise.all(
    names.toSorted().map(async (name) => ({
      filename: name,
      type: 'image/jpeg',
      // unique, because duplicates wouldn't be processed again
      content: Buffer.concat([await readFile(join(folder, name)), Buffer.from(crypto.randomUUID())]),
    })),
  )
}

async function startMira(databaseUrl: string, folder: string): Promise<Peer> {
  const server = startProcess('server.ts', {
    DATA_DIR: join(folder, 'mira'),
    DATABASE_URL: databaseUrl,
    ADMIN_PASSWORD: PASSWORD,
    LOG_LEVEL: 'error',
    ...startEnvironment,
  })
  const mira = await connect(await server.ready)
  return {
    pid: server.pid,
    async ingest(photos, fields) {
      await mapConcurrently(photos, UPLOAD_CONCURRENCY, (photo) => mira.upload(photo, fields))
      if ((await mira.waitUntilProcessed()) > 0) throw new Error('A photo failed in Mira.')
    },
    async close() {
      server.kill('SIGTERM')
      await server.exited
    },
  }
}

/** Directus with the Node that it's written for. */
function installDirectus(folder: string): { node: string; program: string } {
  const [node, program] = [join(folder, 'node_modules/node/bin/node'), join(folder, 'node_modules/directus/cli.js')]
  mkdirSync(folder, { recursive: true })
  const manifest = join(folder, 'package.json')
  if (!existsSync(manifest)) writeFileSync(manifest, '{ "private": true }')
  const install = (name: string, environment: Record<string, string>) =>
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--legacy-peer-deps', name], {
      cwd: folder,
      env: { ...process.env, ...environment },
      stdio: 'inherit',
    })
  if (!existsSync(node)) install(NODE, {})
  // native modules are compiled for that Node
  const headers = join(folder, 'node_modules/node/node_modules', `node-${process.platform}-${process.arch}`)
  const compiling = { PATH: `${dirname(node)}:${process.env.PATH}`, npm_config_nodedir: headers }
  if (!existsSync(program)) install(DIRECTUS, compiling)
  return { node, program }
}

async function startDirectus(databaseUrl: string, folder: string): Promise<Peer> {
  const { node, program } = installDirectus(requireFlag('peers'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const account = { email: 'admin@example.com', password: PASSWORD }
  const env = {
    PATH: process.env.PATH,
    HOST: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: url,
    SECRET: crypto.randomUUID(),
    DB_CLIENT: 'pg',
    DB_CONNECTION_STRING: databaseUrl,
    ADMIN_EMAIL: account.email,
    ADMIN_PASSWORD: account.password,
    STORAGE_LOCAL_ROOT: join(folder, 'directus'),
    TELEMETRY: 'false',
    LOG_LEVEL: 'error',
  }
  execFileSync(node, [program, 'bootstrap'], { cwd: folder, env, stdio: 'inherit' })
  const child = spawn(node, [program, 'start'], { cwd: folder, env, stdio: 'inherit' })
  const childExited = new Promise((resolve) => child.once('exit', resolve))
  const call = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${url}${path}`, init)
    if (!response.ok) throw new Error(`${path} failed with ${response.status}: ${await response.text()}`)
    return response
  }
  const deadline = performance.now() + START_MS
  while (!(await fetch(`${url}/server/ping`).catch(() => null))?.ok) {
    if (performance.now() > deadline || child.exitCode !== null) throw new Error('Directus did not start.')
    await sleep(250)
  }
  const loginResponse = await call('/auth/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(account),
  })
  const { data } = (await loginResponse.json()) as { data: { access_token: string } }
  const headers = { authorization: `Bearer ${data.access_token}` }
  return {
    pid: child.pid ?? 0,
    async ingest(photos) {
      await mapConcurrently(photos, UPLOAD_CONCURRENCY, async ({ filename, type, content }) => {
        const body = new FormData()
        body.append('file', new Blob([new Uint8Array(content)], { type }), filename)
        const uploaded = (await (await call('/files', { method: 'POST', headers, body })).json()) as {
          data: { id: string }
        }
        await (await call(`/assets/${uploaded.data.id}?key=system-large-contain`, { headers })).arrayBuffer()
      })
    },
    async close() {
      child.kill('SIGTERM')
      await childExited
    },
  }
}

async function bench(): Promise<void> {
  const machine = describeMachine()
  const serverUrl = requireFlag('database-url')
  const folder = mkdtempSync(join(tmpdir(), 'mira-peers-'))
  const databases = [await createServerDatabase(serverUrl), await createServerDatabase(serverUrl)] as const
  const peers: Peer[] = []
  try {
    const mira = await startMira(databases[0].databaseUrl, folder)
    peers.push(mira)
    const directus = await startDirectus(databases[1].databaseUrl, folder)
    peers.push(directus)
    const kinds: { name: string; peer: Peer; fields: Record<string, string> }[] = [
      { name: 'Mira', peer: mira, fields: {} },
      { name: 'Mira, NOT read', peer: mira, fields: { extract_text: 'false' } },
      { name: 'Directus', peer: directus, fields: {} },
    ]
    const measured = kinds.map((kind) => ({ ...kind, perSecond: [] as number[], processorMs: [] as number[] }))
    for (const { peer, fields } of kinds) await peer.ingest((await readPhotos()).slice(0, 4), fields)
    for (let round = 0; round < Number(flags.rounds); round++) {
      for (const { name, peer, fields, perSecond, processorMs } of measured) {
        const photos = await readPhotos()
        const before = measureFamily(peer.pid).processorSeconds
        const startedAt = performance.now()
        await peer.ingest(photos, fields)
        perSecond.push((photos.length / (performance.now() - startedAt)) * 1000)
        processorMs.push(((measureFamily(peer.pid).processorSeconds - before) / photos.length) * 1000)
        console.info(name, perSecond.at(-1), processorMs.at(-1))
      }
    }
    await sleep(REST_MS)
    const memory = (name: string, { pid }: Peer): FigureTable['rows'][number] => [name, measureFamily(pid).megabytes]
    const tables: FigureTable[] = [
      {
        setup: 'photos of 2 megapixels',
        metrics: ['files (per s)', 'CPU (ms each)'],
        rows: measured.map(({ name, perSecond, processorMs }) => [
          name,
          percentiles(perSecond).median,
          percentiles(processorMs).median,
        ]),
      },
      {
        setup: 'memory a minute later',
        metrics: ['all processes (MB)'],
        rows: [memory('Mira', mira), memory('Directus', directus)],
      },
    ]
    report('Beside a peer', machine, tables, flags['no-write'])
  } finally {
    for (const peer of peers) await peer.close()
    for (const database of databases) await database.drop()
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  }
}

await bench()
