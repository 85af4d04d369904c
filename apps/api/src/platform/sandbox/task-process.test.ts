import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import type { TestTasks } from '../../../test/task-module.ts'
import { runAsUser } from '../lib/current-user.ts'
import { programSearchPath } from '../lib/find-program.ts'
import { withoutSandbox } from './sandboxing.ts'
import type { TaskFolder } from './task-folder.ts'
import { createTaskPool } from './task-pool.ts'
import { createTaskProcess, type TaskProcess, type TaskProcessOptions } from './task-process.ts'

const directory = mkdtempSync(join(tmpdir(), 'mira-tasks-'))
const sandboxing = withoutSandbox(directory)
/** Sandboxing of a server, whose files belong to many users. */
const sharedSandboxing = { ...sandboxing, onlyUser: undefined }
afterAll(() => rmSync(directory, { recursive: true }))
const open: TaskProcess<TestTasks>[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

function start(options: Partial<TaskProcessOptions> = {}): TaskProcess<TestTasks> {
  const module = new URL('../../../test/task-module.ts', import.meta.url)
  const task = createTaskProcess<TestTasks>({ sandboxing, module, name: 'test', memoryLimitMb: 300, ...options })
  open.push(task)
  return task
}

const timeoutMs = 15_000
const noInput = undefined as never

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
const untilGone = (pid: number) => vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 5_000 })

describe('a task', () => {
  test('runs in another process at a lower priority, and keeps dates and bytes as they are', async () => {
    const input = { date: new Date(0), bytes: new Uint8Array([1, 2, 3]) }
    const result = await start({ niceness: 7 }).run('describe', input, { timeoutMs })
    // A run of all tests has lowered its own priority.
    expect(result).toMatchObject({ ...input, niceness: Math.max(7, getPriority()) })
    expect(result.pid).not.toBe(process.pid)
  })

  test('has no secrets in its environment', async () => {
    process.env.JWT_SECRET = 'secret'
    const environment = await start({ environment: { HERE: 'yes' } }).run('environment', noInput, { timeoutMs })
    delete process.env.JWT_SECRET
    expect(environment).toMatchObject({ HERE: 'yes', PATH: programSearchPath() })
    expect(JSON.stringify(environment)).not.toContain('secret')
    expect(Object.keys(environment).filter((name) => /VITEST|DATABASE|TOKEN|KEY/.test(name))).toEqual([])
  })

  test('sends parts in order before its result', async () => {
    const parts: number[] = []
    const result = await start().run('count', { to: 5 }, { timeoutMs, onPart: (part) => parts.push(part) })
    expect([result, parts]).toEqual(['counted', [1, 2, 3, 4, 5]])
  })

  test('that fails has the reason, and its process keeps running', async () => {
    const child = start()
    const failure = child.run('fail', { code: 'broken' }, { timeoutMs })
    await expect(failure).rejects.toMatchObject({ reason: 'failed', message: 'It is broken.', code: 'broken' })
    const pid = child.pid()
    await expect(child.run('failPlainly', noInput, { timeoutMs })).rejects.toMatchObject({ message: 'only a sentence' })
    expect([await child.run('wait', { ms: 0 }, { timeoutMs }), child.pid()]).toEqual(['waited', pid])
  })

  test.each([
    ['never comes back', 'spin', { timeoutMs: 300 }, 'timeout'],
    ['crashes', 'crash', { timeoutMs }, 'crashed'],
    ['grows outside of JavaScript', 'growOutside', { timeoutMs }, 'memory'],
    ['grows inside of JavaScript', 'growInside', { timeoutMs }, 'memory'],
  ] as const)('that %s ends only its own process', async (_name, task, options, reason) => {
    const warn = vi.fn()
    const child = start({ warn })
    await child.run('wait', { ms: 0 }, { timeoutMs })
    const pid = child.pid() as number
    await expect(child.run(task, noInput, options)).rejects.toMatchObject({ name: 'TaskError', reason })
    expect([child.pid(), isAlive(pid)]).toEqual([null, false])
    expect(await child.run('wait', { ms: 0 }, { timeoutMs })).toBe('waited')
    expect(child.pid()).not.toBe(pid)
    if (task === 'crash') {
      const errorText = expect.stringContaining('a last word')
      expect(warn).toHaveBeenCalledWith({ process: 'test', reason, said: errorText }, expect.any(String))
    }
  })
})

test.each([0, 20, 100])(
  'a task does not fail because of an earlier one that crashes %i ms after its end',
  async (afterMs) => {
    const child = start()
    const pid = await child.run('crashLater', { afterMs }, { timeoutMs })
    const input = async () => {
      // The process may end before it gets the task.
      await sleep(50)
      return { ms: 100 }
    }
    expect(await child.run('wait', input, { timeoutMs: 5_000 })).toBe('waited')
    expect(child.pid()).not.toBe(pid)
  },
)

test('an input with an unknown property is a type error', () => {
  const child = start()
  // @ts-expect-error -- a misspelled property
  const run = () => child.run('wait', async () => ({ ms: 0, milliseconds: 5 }), { timeoutMs })
  expect(run).toBeTypeOf('function')
})

describe('aborting', () => {
  test('ends a task that listens to the signal, and keeps its process', async () => {
    const child = start()
    await child.run('wait', { ms: 0 }, { timeoutMs })
    const pid = child.pid()
    const stop = new AbortController()
    const waiting = child.run('waitUntilCancelled', null, { timeoutMs, signal: stop.signal })
    setTimeout(() => stop.abort(new Error('enough')), 100)
    await expect(waiting).rejects.toThrow('enough')
    expect(child.pid()).toBe(pid)
  })

  test('kills a task that does not listen to the signal', async () => {
    const child = start({ cancelGraceMs: 100 })
    await child.run('wait', { ms: 0 }, { timeoutMs })
    const stop = new AbortController()
    const waiting = child.run('spin', noInput, { timeoutMs, signal: stop.signal })
    setTimeout(() => stop.abort(new Error('enough')), 100)
    await expect(waiting).rejects.toThrow('enough')
    expect(child.pid()).toBeNull()
  })

  test('removes a waiting task from the queue', async () => {
    const child = start({ maxWaitingPerUser: 1 })
    const running = child.run('wait', { ms: 300 }, { timeoutMs })
    const stop = new AbortController()
    const waiting = child.run('wait', { ms: 0 }, { timeoutMs, signal: stop.signal })
    stop.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    const next = child.run('wait', { ms: 0 }, { timeoutMs })
    expect(await Promise.all([running, next])).toEqual(['waited', 'waited'])
    await expect(child.run('wait', { ms: 0 }, { timeoutMs, signal: AbortSignal.abort() })).rejects.toThrow('abort')
  })
})

test('tasks run one after the other, urgent ones first, and the queue is limited', async () => {
  const child = start({ maxWaitingPerUser: 2 })
  const finishOrder: string[] = []
  const run = async (name: string, isUrgent = false) => {
    await child.run('wait', { ms: 50 }, { timeoutMs, isUrgent })
    finishOrder.push(name)
  }
  const all = [run('first'), run('second'), run('urgent', true)]
  await expect(run('too many')).rejects.toMatchObject({ reason: 'busy' })
  await Promise.all(all)
  expect(finishOrder).toEqual(['first', 'urgent', 'second'])
})

describe('a process that has read a file of one user', () => {
  const pidFor = (child: TaskProcess<TestTasks>, user: string) =>
    runAsUser(user, () => child.run('hold', { megabytes: 1 }, { timeoutMs }))

  test('serves only that user, and has ended before the next one is served', async () => {
    const child = start({ sandboxing: sharedSandboxing })
    const first = await pidFor(child, 'ana')
    expect(await pidFor(child, 'ana')).toBe(first)
    const second = await pidFor(child, 'ben')
    expect(second).not.toBe(first)
    expect(isAlive(first)).toBe(false)
    const [third, fourth] = await Promise.all([pidFor(child, 'ana'), pidFor(child, 'ben')])
    expect(new Set([first, second, third, fourth]).size).toBe(4)
  })

  test('serves nobody else when the user is unknown', async () => {
    const child = start({ sandboxing: sharedSandboxing })
    const first = await child.run('hold', { megabytes: 1 }, { timeoutMs })
    expect(isAlive(first)).toBe(false)
    expect(await child.run('hold', { megabytes: 1 }, { timeoutMs })).not.toBe(first)
  })

  test('is reused for the same user, so that alternating users wait for no start', async () => {
    const module = new URL('../../../test/task-module.ts', import.meta.url)
    for (const size of [1, 2]) {
      const pool = createTaskPool<TestTasks>({
        sandboxing: sharedSandboxing,
        module,
        name: 'test',
        memoryLimitMb: 300,
        size,
      })
      const pidIn = (user: string) => runAsUser(user, () => pool.run('hold', { megabytes: 1 }, { timeoutMs }))
      const [ana, ben] = await Promise.all([pidIn('ana'), pidIn('ben')])
      expect([await pidIn('ben'), await pidIn('ana'), await pidIn('ben')]).toEqual([ben, ana, ben])
      await pool.close()
    }
  })

  test('is ended for a further user when it was unused for longest', async () => {
    const module = new URL('../../../test/task-module.ts', import.meta.url)
    const pool = createTaskPool<TestTasks>({
      sandboxing: sharedSandboxing,
      module,
      name: 'test',
      memoryLimitMb: 300,
      size: 1,
    })
    const pidIn = (user: string) => runAsUser(user, () => pool.run('hold', { megabytes: 1 }, { timeoutMs }))
    const [ana, ben] = [await pidIn('ana'), await pidIn('ben')]
    expect(await pidIn('ana')).toBe(ana)
    const cleo = await pidIn('cleo')
    expect([isAlive(ana), isAlive(ben), await pidIn('ana')]).toEqual([true, false, ana])
    expect(cleo).not.toBe(ana)
    await pool.close()
  })
})

test('files that a task left are removed when the next one begins, and not from outside before', async () => {
  const child = start()
  let outputFolder = ''
  const write = async (taskFolder: TaskFolder) => {
    outputFolder = taskFolder.outputFolder
    return { filename: join(taskFolder.outputFolder, 'left') }
  }
  await child.run('write', write, { timeoutMs })
  expect(readdirSync(outputFolder)).toEqual(['left'])
  await child.run('wait', { ms: 0 }, { timeoutMs })
  expect(readdirSync(outputFolder)).toEqual([])
})

test('a process that leaves a link instead of its result is killed, and the link is not followed', async () => {
  const child = start()
  const pid = await child.run('hold', { megabytes: 1 }, { timeoutMs })
  const secret = join(directory, 'secret')
  const takenFile = join(directory, 'taken')
  writeFileSync(secret, 'a secret')
  const link = async (taskFolder: TaskFolder) => ({ target: secret, path: join(taskFolder.outputFolder, 'result') })
  const collect = async (result: null, taskFolder: TaskFolder) => {
    await taskFolder.take('result', takenFile)
    return result
  }
  await expect(child.run('link', link, { timeoutMs, collect })).rejects.toThrow('other than a regular file')
  expect(isAlive(pid)).toBe(false)
  expect(existsSync(takenFile)).toBe(false)
  expect(readFileSync(secret, 'utf8')).toBe('a secret')
})

test('child processes are killed with their process', async () => {
  const child = start()
  const pid = await child.run('startAnother', noInput, { timeoutMs })
  expect(isAlive(pid)).toBe(true)
  await child.close()
  await untilGone(pid)
})

test('an idle process ends, and so does one that keeps too much memory', async () => {
  const idle = start({ idleMs: 50 })
  const first = await idle.run('hold', { megabytes: 1 }, { timeoutMs })
  await untilGone(first)
  expect(await idle.run('hold', { megabytes: 1 }, { timeoutMs })).not.toBe(first)

  const large = start({ keepMb: 150 })
  const small = await large.run('hold', { megabytes: 1 }, { timeoutMs })
  expect(await large.run('hold', { megabytes: 150 }, { timeoutMs })).toBe(small)
  expect(isAlive(small)).toBe(false)
})

test('closing ends the running task, and refuses waiting and new ones', async () => {
  const child = start()
  const running = child.run('spin', noInput, { timeoutMs })
  const waiting = child.run('wait', { ms: 0 }, { timeoutMs })
  const outcomes = Promise.allSettled([running, waiting])
  await sleep(300)
  await child.close()
  for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: { reason: 'closed' } })
  await expect(child.run('wait', { ms: 0 }, { timeoutMs })).rejects.toMatchObject({ reason: 'closed' })
  expect(child.pid()).toBeNull()
})

test('a module that cannot be loaded is named in the error', async () => {
  const child = start({ module: new URL('./nowhere.ts', import.meta.url) })
  const failure = child.run('wait', { ms: 0 }, { timeoutMs })
  await expect(failure).rejects.toMatchObject({ reason: 'unstartable', message: expect.stringContaining('nowhere.ts') })
})

test('a process dies with its parent, even during work that never ends', async () => {
  const script = fileURLToPath(new URL('../../../test/task-parent.ts', import.meta.url))
  const parent = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [printed] = (await once(parent.stdout, 'data')) as [Buffer]
  const pid = Number(printed.toString())
  expect(isAlive(pid)).toBe(true)
  await sleep(200)
  parent.kill('SIGKILL')
  await untilGone(pid)
})

test.each([
  ['announces a message of two gigabytes', [0x7f, 0xff, 0xff, 0xff]],
  ['sends arbitrary bytes', [0, 0, 0, 4, 1, 2, 3, 4]],
  ['sends null', [0, 0, 0, 3, 0xff, 0x0f, 0x30]],
  ['imitates an internal message of Node.js', [...Buffer.from('\0\0\0\x1f{"cmd":"NODE_HANDLE_ACK"}\n')]],
])('a compromised process that %s is killed, and the next one works', async (_name, bytes) => {
  const child = start()
  await expect(child.run('sendBytes', { bytes }, { timeoutMs })).rejects.toMatchObject({ reason: 'crashed' })
  expect(await child.run('wait', { ms: 0 }, { timeoutMs })).toBe('waited')
})
