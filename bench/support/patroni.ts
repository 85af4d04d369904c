import { execFileSync } from 'node:child_process'
import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { createKillable, isOk, type Killable, killAll, killOnExit, waitUntil } from './killable.ts'

/** A node of a PostgreSQL cluster. */
export interface DatabaseNode extends Killable {
  /** Kills only the database; its supervisor keeps running. */
  killDatabase(): number
  isPrimary(): Promise<boolean>
}

export interface DatabaseCluster {
  nodes: DatabaseNode[]
  /** HAProxy in front of the nodes, which routes to the primary. */
  balancer: Killable
  pooler: Killable
  etcd: Killable
  /** URL of the pooler, for connections without session state. */
  url: string
  directUrl: string
  /** True when every node is up, and one of them is a synchronous replica. */
  isWhole(): Promise<boolean>
}

const NAME = 'mira'
/** Ends connections to replicas: HAProxy takes every node for the primary until its second check. pgbouncer ignores its errors. */
const LEAVE_REPLICAS = 'SELECT pg_terminate_backend(pg_backend_pid()) WHERE pg_is_in_recovery()'

/**
 * Starts three nodes of PostgreSQL under Patroni with etcd, HAProxy and pgbouncer, on ports from `firstPort` on.
 * A commit is acknowledged when a second node has it on its disk (`synchronous_mode_strict`), and only such a node is
 * promoted.
 */
export async function startDatabaseCluster(options: {
  folder: string
  firstPort: number
  /** Folder of the programs of PostgreSQL with pgvector. */
  binDir: string
}): Promise<DatabaseCluster> {
  const { folder, firstPort, binDir } = options
  const user = postgresUser()
  const makeFolder = (name: string) => {
    const path = join(folder, name)
    mkdirSync(path, { mode: 0o700, recursive: true })
    if (user) chownSync(path, user.uid, user.gid)
    return path
  }
  const writeConfig = (name: string, text: string) => {
    const file = join(folder, name)
    writeFileSync(file, text)
    return file
  }
  const [clientPort, peerPort, balancerPort, poolerPort] = [0, 1, 2, 3].map((offset) => firstPort + offset) as [
    number,
    number,
    number,
    number,
  ]
  const etcd = createKillable({
    name: 'etcd',
    command: [
      ...[
        'etcd',
        '--name',
        'e',
        '--data-dir',
        makeFolder('etcd'),
        '--heartbeat-interval=500',
        '--election-timeout=5000',
      ],
      ...['--listen-client-urls', `http://127.0.0.1:${clientPort}`, '--unsafe-no-fsync=false'],
      ...['--advertise-client-urls', `http://127.0.0.1:${clientPort}`],
      ...['--listen-peer-urls', `http://127.0.0.1:${peerPort}`],
      ...['--initial-advertise-peer-urls', `http://127.0.0.1:${peerPort}`],
      ...['--initial-cluster', `e=http://127.0.0.1:${peerPort}`, '--auto-compaction-retention=1h'],
    ],
    isFirst: true,
    logFile: join(folder, 'etcd.log'),
    isUp: () => isOk(`http://127.0.0.1:${clientPort}/health`),
  })
  await etcd.start()

  const ports = [0, 1, 2].map((index) => ({ database: firstPort + 10 + index, rest: firstPort + 20 + index }))
  makeFolder('socket')
  const nodes = ports.map(({ database, rest }, index): DatabaseNode => {
    const name = `node${index + 1}`
    const dataDir = join(makeFolder(name), 'data')
    const config = { name, dataDir, database, rest, etcd: clientPort, binDir, socketDir: join(folder, 'socket') }
    const node = createKillable({
      name,
      command: ['patroni', writeConfig(`${name}.yml`, patroniYml(config))],
      user,
      isFirst: true,
      logFile: join(folder, `${name}.log`),
      isUp: () => isOk(`http://127.0.0.1:${rest}/health`),
      timeoutMs: 300_000,
    })
    const databasePid = () => Number(/^\d+/.exec(readOrEmpty(join(dataDir, 'postmaster.pid')))?.[0] ?? 0)
    const kill = () => killAll([node.pid(), databasePid()])
    killOnExit(kill)
    return {
      ...node,
      kill,
      killDatabase: () => killAll([databasePid()]),
      isPrimary: () => isOk(`http://127.0.0.1:${rest}/primary`),
    }
  })
  const [first, ...others] = nodes
  await first?.start()
  await waitUntil(async () => first?.isPrimary() ?? false, 'There is no primary', 180_000)
  await Promise.all(others.map((node) => node.start()))
  const isWhole = async () => {
    const [up, replicas] = await Promise.all([
      Promise.all(ports.map(({ rest }) => isOk(`http://127.0.0.1:${rest}/health`))),
      Promise.all(ports.map(({ rest }) => isOk(`http://127.0.0.1:${rest}/synchronous`))),
    ])
    return up.every(Boolean) && replicas.some(Boolean)
  }

  const balancer = createKillable({
    name: 'HAProxy (database)',
    command: ['haproxy', '-db', '-f', writeConfig('haproxy-database.cfg', haproxyOf(balancerPort, ports))],
    isFirst: true,
    logFile: join(folder, 'haproxy-database.log'),
    isUp: () => canQuery(`postgresql://postgres@127.0.0.1:${balancerPort}/postgres`),
  })
  await balancer.start()
  await withClient(`postgresql://postgres@127.0.0.1:${ports[0]?.database}/postgres`, async (client) => {
    await client.query(`CREATE ROLE ${NAME} LOGIN`)
    await client.query(`CREATE DATABASE ${NAME} OWNER ${NAME}`)
  })
  await withClient(`postgresql://postgres@127.0.0.1:${ports[0]?.database}/${NAME}`, async (client) => {
    for (const extension of ['vector', 'pg_trgm', 'btree_gin']) await client.query(`CREATE EXTENSION ${extension}`)
  })
  await waitUntil(isWhole, 'The cluster has no synchronous replica', 180_000)

  const url = `postgresql://${NAME}@127.0.0.1:${poolerPort}/${NAME}`
  const pooler = createKillable({
    name: 'pgbouncer',
    command: ['pgbouncer', '-q', writeConfig('pgbouncer.ini', pgbouncerOf(poolerPort, balancerPort))],
    user,
    isFirst: true,
    logFile: join(folder, 'pgbouncer.log'),
    isUp: () => canQuery(url),
  })
  await pooler.start()
  return { nodes, balancer, pooler, etcd, url, directUrl: url.replace(`:${poolerPort}/`, `:${balancerPort}/`), isWhole }
}

interface NodeConfig {
  name: string
  dataDir: string
  database: number
  rest: number
  etcd: number
  binDir: string
  socketDir: string
}

/** Patroni configuration as JSON, which is valid YAML. */
function patroniYml({ name, dataDir, database, rest, etcd, binDir, socketDir }: NodeConfig): string {
  const login = (username: string) => ({ username, password: 'not-secret' })
  return JSON.stringify({
    scope: NAME,
    name,
    restapi: { listen: `127.0.0.1:${rest}`, connect_address: `127.0.0.1:${rest}` },
    etcd3: { hosts: `127.0.0.1:${etcd}` },
    bootstrap: {
      dcs: {
        ...{ ttl: 20, loop_wait: 5, retry_timeout: 5, maximum_lag_on_failover: 1_048_576 },
        // a crashed primary isn't waited for: the synchronous replica has everything
        master_start_timeout: 0,
        ...{ synchronous_mode: true, synchronous_mode_strict: true },
        postgresql: {
          ...{ use_pg_rewind: true, use_slots: true },
          remove_data_directory_on_rewind_failure: true,
          remove_data_directory_on_diverged_timelines: true,
          parameters: { synchronous_commit: 'on', max_connections: 100, wal_keep_size: '256MB', jit: 'off' },
        },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
    },
    postgresql: {
      listen: `127.0.0.1:${database}`,
      connect_address: `127.0.0.1:${database}`,
      data_dir: dataDir,
      bin_dir: binDir,
      pgpass: join(dirname(dataDir), 'pgpass'),
      authentication: { superuser: login('postgres'), replication: login('replicator'), rewind: login('rewinder') },
      parameters: { unix_socket_directories: socketDir, shared_buffers: '64MB' },
      pg_hba: ['local all all trust', 'host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
    },
  })
}

const haproxyOf = (port: number, nodes: { database: number; rest: number }[]) => `
defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 3s
listen primary
  bind 127.0.0.1:${port}
  option httpchk GET /primary
  http-check expect status 200
  # connections to a node that is the primary no more are ended
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${nodes.map(({ database, rest }, index) => `  server node${index + 1} 127.0.0.1:${database} check port ${rest}`).join('\n')}
`

const pgbouncerOf = (port: number, balancerPort: number) => `[databases]
${NAME} = host=127.0.0.1 port=${balancerPort} dbname=${NAME} user=${NAME} connect_query='SET statement_timeout = 10000; SET idle_in_transaction_session_timeout = 30000; ${LEAVE_REPLICAS}'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 20
max_client_conn = 500
query_wait_timeout = 10
server_login_retry = 1
`

/** Account for PostgreSQL, which refuses to run as root. */
function postgresUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

async function withClient<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 3_000 })
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

const canQuery = (url: string) =>
  withClient(url, (client) => client.query(LEAVE_REPLICAS)).then(
    () => true,
    () => false,
  )

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}
