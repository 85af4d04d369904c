import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './free-port.ts'

const PROGRAM = process.env.PGBOUNCER ?? 'pgbouncer'

/** True where pgbouncer is installed; PGBOUNCER names another program. */
export const hasPgbouncer: boolean = spawnSync(PROGRAM, ['--version']).status === 0

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

/** Starts pgbouncer in transaction mode in front of a server, with few connections so that sessions are shared. */
export async function startPgbouncer(serverUrl: string) {
  const folder = mkdtempSync(join(tmpdir(), 'mira-pgbouncer-'))
  chmodSync(folder, 0o755)
  const { hostname, port, username } = new URL(serverUrl)
  const listenPort = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]
* = host=${hostname} port=${port} user=${username} connect_query='SET statement_timeout = 10000; SET idle_in_transaction_session_timeout = 30000'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 3
max_client_conn = 500
`,
  )
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'postgres'] : []
  const child: ChildProcess = spawn(PROGRAM, ['-q', ...user, file], { stdio: 'ignore' })
  const exited = once(child, 'exit')
  while (!(await isOpen(listenPort))) {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended with ${child.exitCode}`)
    await sleep(50)
  }
  return {
    /** URL of a database through pgbouncer. */
    urlOf(databaseUrl: string): string {
      const url = new URL(databaseUrl)
      url.host = `127.0.0.1:${listenPort}`
      return url.href
    },
    async stop() {
      child.kill('SIGINT')
      const hasExited = await Promise.race([exited.then(() => true), sleep(3_000, false)])
      if (!hasExited) child.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
