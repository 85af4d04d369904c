// Uses a database in a separate process, which tests start with startDatabaseProcess and kill.
// Arguments: its role, and the options of openDatabase as JSON.
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { openDatabase } from '../src/platform/database/client.ts'
import { createQueue } from '../src/platform/queue/queue.ts'
import { silentLog } from './database-template.ts'
import { idleJobHandlers } from './idle-job-handlers.ts'

export interface ProcessDatabase {
  databaseUrl?: string | undefined
  dataDir: string
  templateFile?: string
}

/** A running process and its messages so far. */
export interface DatabaseProcess {
  messages: string[]
  /** Kills it, like a power cut, and waits until it has exited. */
  kill(): Promise<void>
}

/** `write` sends the key of every committed transaction; `work` starts a job, says so, and never finishes it. */
export function startDatabaseProcess(role: 'write' | 'work', database: ProcessDatabase): DatabaseProcess {
  const messages: string[] = []
  const child = fork(fileURLToPath(import.meta.url), [role, JSON.stringify(database)], { execArgv: [] })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.on('message', (message) => messages.push(String(message)))
  return {
    messages,
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

const send = (text: string) => process.send?.(text)

async function write(options: ProcessDatabase): Promise<void> {
  const database = await openDatabase({ ...options, log: silentLog })
  for (let n = 0; ; n++) {
    const key = `${process.pid}-${n}`
    await database.prisma.$transaction(async (tx) => {
      await tx.setting.create({ data: { key: `${key}-first`, value: n } })
      await tx.setting.create({ data: { key: `${key}-second`, value: n } })
    })
    send(key)
  }
}

async function work(options: ProcessDatabase): Promise<void> {
  const database = await openDatabase({ ...options, log: silentLog })
  const queue = createQueue({ pool: database.pool, isOnlyProcess: database.engine === 'embedded', log: silentLog })
  await queue.open()
  await queue.start({
    ...idleJobHandlers,
    'delete-files': async () => {
      send('begun')
      await new Promise(() => {})
    },
  })
  await queue.enqueue('delete-files', { paths: ['a'] })
}

const [, , role, json] = process.argv
if (process.send && (role === 'write' || role === 'work')) {
  const options = JSON.parse(json ?? '') as ProcessDatabase
  await (role === 'write' ? write : work)(options)
}
