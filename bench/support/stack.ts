import { randomBytes } from 'node:crypto'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { pickOne, type Random } from '../../apps/api/test/chance.ts'
import { startCeph } from './ceph.ts'
import { PASSWORD } from './chat-targets.ts'
import { createKillable, isOk, type Killable, statusOf } from './killable.ts'
import type { Target } from './killer.ts'
import { modelEnvironment, startModelProcess } from './model-process.ts'
import { startDatabaseCluster } from './patroni.ts'
import { startEnvironment } from './started-server.ts'

const FIRST_PORT = 24_000
const MODEL_LATENCY_MS = 20
const server = new URL('../../apps/api/dist/server.mjs', import.meta.url).pathname

/** All processes of a service on several machines. */
export interface Stack {
  /** The balancer, then each web server. */
  urls: string[]
  databaseUrl: string
  targets: Target[]
  isWhole(): Promise<boolean>
  /** Stops the model server; everything else ends with this process. */
  stopModel(): void
}

/** Starts a database cluster, Ceph, two web servers, two workers and HAProxy in a folder. */
export async function startStack({ folder, binDir }: { folder: string; binDir: string }): Promise<Stack> {
  const ceph = await startCeph({ folder: join(folder, 'ceph'), port: FIRST_PORT + 40 })
  const database = await startDatabaseCluster({ folder, firstPort: FIRST_PORT, binDir })
  const model = await startModelProcess(MODEL_LATENCY_MS)
  const ports = { web1: FIRST_PORT + 51, web2: FIRST_PORT + 52, worker1: FIRST_PORT + 53, worker2: FIRST_PORT + 54 }
  const shared = {
    ...{ HOST: '127.0.0.1', LOG_LEVEL: 'warn', LOCAL_MODELS: 'off', METRICS: 'open' },
    ...{ DATABASE_URL: database.url, DATABASE_DIRECT_URL: database.directUrl },
    ...{ JWT_SECRET: randomBytes(24).toString('hex'), ADMIN_PASSWORD: PASSWORD, BACKUP_DIR: join(folder, 'backups') },
    ...{ ...ceph.environment, ...modelEnvironment(model.baseUrl), ...startEnvironment },
  }
  const [web1, web2, worker1, worker2] = Object.entries(ports).map(([name, port]) => {
    mkdirSync(join(folder, name), { recursive: true })
    return createKillable({
      name,
      command: [process.execPath, server],
      environment: {
        ...shared,
        ...{ ROLE: name.startsWith('web') ? 'web' : 'worker', PORT: String(port), DATA_DIR: join(folder, name) },
      },
      logFile: join(folder, `${name}.log`),
      isUp: () => isOk(`http://127.0.0.1:${port}/api/health`),
    })
  }) as [Killable, Killable, Killable, Killable]
  for (const one of [web1, worker1, web2, worker2]) await one.start()
  const balancerPort = FIRST_PORT + 50
  const config = join(folder, 'haproxy-web.cfg')
  writeFileSync(config, haproxyOf(balancerPort, [ports.web1, ports.web2]))
  const balancer = createKillable({
    name: 'HAProxy (web)',
    command: ['haproxy', '-db', '-f', config],
    logFile: join(folder, 'haproxy-web.log'),
    isUp: async () => (await statusOf(`http://127.0.0.1:${balancerPort}/api/health`)) > 0,
  })
  await balancer.start()

  /** Killed processes that are not up again. */
  const down = new Set<Killable>()
  const bringDown = (one: Killable, kill: () => unknown = one.kill, start: () => Promise<void> = one.start) => {
    down.add(one)
    kill()
    appendFileSync(join(folder, 'kills.log'), `${new Date().toISOString()} ${one.name}\n`)
    return {
      name: one.name,
      start: async () => {
        await start()
        down.delete(one)
      },
    }
  }
  const areUp = (...all: Killable[]) => !all.some((one) => down.has(one))
  /** Kills one of a pair while both are up. */
  const ofPair = (kind: string, weight: number, pair: Killable[]): Target => ({
    ...{ kind, weight },
    kill: async (chance: Random) => (areUp(...pair) ? bringDown(pickOne(chance, pair)) : null),
  })
  const singles = [database.pooler, database.balancer, balancer, ceph.gateway]
  /** Kills a process without redundancy, while all others without it and a web server are up. */
  const single = (kind: string, weight: number, all: Killable[]): Target => ({
    ...{ kind, weight },
    kill: async (chance: Random) =>
      areUp(...singles) && (areUp(web1) || areUp(web2)) ? bringDown(pickOne(chance, all)) : null,
  })
  const areNodesUp = async () => areUp(...database.nodes) && (await database.isWhole())
  const roles = async () =>
    Promise.all(database.nodes.map(async (node) => ({ node, isPrimary: await node.isPrimary() })))
  const targets: Target[] = [
    ofPair('web server', 45, [web1, web2]),
    ofPair('worker', 40, [worker1, worker2]),
    {
      ...{ kind: 'node of the primary', weight: 25 },
      async kill() {
        const primary = (await areNodesUp()) && (await roles()).find(({ isPrimary }) => isPrimary)?.node
        return primary ? bringDown(primary) : null
      },
    },
    {
      ...{ kind: 'database of the primary', weight: 20 },
      async kill() {
        const primary = (await areNodesUp()) && (await roles()).find(({ isPrimary }) => isPrimary)?.node
        // Patroni starts it again
        return primary ? bringDown(primary, primary.killDatabase, async () => {}) : null
      },
    },
    {
      ...{ kind: 'node of a replica', weight: 20 },
      async kill(chance) {
        if (!(await areNodesUp())) return null
        const replicas = (await roles()).filter(({ isPrimary }) => !isPrimary)
        return bringDown(pickOne(chance, replicas).node)
      },
    },
    single('pgbouncer', 15, [database.pooler]),
    single('balancer', 15, [balancer, database.balancer]),
    single('S3 gateway', 10, [ceph.gateway]),
    {
      ...{ kind: 'disk of the S3 store', weight: 10 },
      kill: async (chance) => (areUp(...ceph.disks) ? bringDown(pickOne(chance, ceph.disks)) : null),
    },
  ]
  return {
    urls: [balancerPort, ports.web1, ports.web2].map((port) => `http://127.0.0.1:${port}`),
    databaseUrl: database.directUrl,
    targets,
    isWhole: async () => down.size === 0 && (await database.isWhole()),
    stopModel: model.stop,
  }
}

/** As in deploy/compose. */
const haproxyOf = (port: number, webPorts: number[]) => `
defaults
  mode http
  option redispatch
  retries 3
  timeout connect 3s
  timeout client 300s
  timeout server 300s
  timeout http-request 20s
  timeout check 5s
frontend mira
  bind 127.0.0.1:${port}
  default_backend web
backend web
  balance leastconn
  option httpchk GET /api/health
  http-check expect status 200
  default-server check inter 1s fall 1 rise 1
${webPorts.map((webPort, index) => `  server web${index + 1} 127.0.0.1:${webPort}`).join('\n')}
`

/** Duplicate rows of things that were done once, as sentences. */
export async function findDuplicates(databaseUrl: string): Promise<string[]> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  const queries = {
    'files of a user': 'SELECT FROM media_items GROUP BY user_id, sha256 HAVING count(*) > 1',
    'passages of a file':
      'SELECT FROM moments GROUP BY media_item_id, kind, position, frame_number, page HAVING count(*) > 1',
    messages: 'SELECT FROM chat_messages WHERE client_id IS NOT NULL GROUP BY client_id HAVING count(*) > 1',
    'answers of a message': `SELECT FROM chat_messages WHERE role = 'assistant' GROUP BY parent_id HAVING count(*) > 1`,
    'activities of an answer': `SELECT FROM activities WHERE kind = 'chat' AND detail_id IS NOT NULL GROUP BY detail_id HAVING count(*) > 1`,
    'activities of an upload': `SELECT FROM activities WHERE kind = 'upload' GROUP BY subject_id HAVING count(*) > 1`,
    'notifications of a reminder': `SELECT FROM notifications WHERE kind = 'reminder_due' GROUP BY subject_id HAVING count(*) > 1`,
  }
  try {
    const sentences: string[] = []
    for (const [name, text] of Object.entries(queries)) {
      const { rowCount } = await client.query(text)
      if (rowCount) sentences.push(`${name}: ${rowCount} duplicates`)
    }
    return sentences
  } finally {
    await client.end()
  }
}
