import { describe, expect, test } from 'vitest'
import { runAsUser } from './current-user.ts'
import { createSemaphore, type Semaphore, type Urgency } from './semaphore.ts'

/** Records which tasks have started, and ends them on request. */
function recorder(semaphore: Semaphore) {
  const startedTasks: string[] = []
  const ends = new Map<string, () => void>()
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  return {
    startedTasks,
    settle,
    start(name: string, options: { urgency?: Urgency; signal?: AbortSignal } = {}) {
      const userId = name.split(' ')[0] ?? ''
      return runAsUser(userId, () =>
        semaphore.run(() => {
          startedTasks.push(name)
          return new Promise<void>((resolve) => ends.set(name, resolve))
        }, options),
      )
    },
    /** Ends the running tasks one by one until none is left. */
    async drain() {
      for (;;) {
        await settle()
        const [next] = ends
        if (next === undefined) return
        ends.delete(next[0])
        next[1]()
      }
    },
    async end(name: string) {
      ends.get(name)?.()
      ends.delete(name)
      await settle()
    },
  }
}

describe('a semaphore', () => {
  test('alternates between users, however long one of their queues is', async () => {
    const { startedTasks, start, drain } = recorder(createSemaphore({ permits: 1 }))
    const all = Array.from({ length: 40 }, (_, n) => start(`ada ${n}`))
    all.push(...['bob 0', 'bob 1', 'cem 0'].map((name) => start(name)))
    await drain()
    await Promise.all(all)
    expect(startedTasks.slice(0, 7)).toEqual(['ada 0', 'bob 0', 'cem 0', 'ada 1', 'bob 1', 'ada 2', 'ada 3'])
    expect(startedTasks.filter((name) => name.startsWith('ada'))).toEqual(
      Array.from({ length: 40 }, (_, n) => `ada ${n}`),
    )
  })

  test('gives a single user every permit, and another user the next free one', async () => {
    const { startedTasks, start, settle, end, drain } = recorder(createSemaphore({ permits: 3 }))
    const all = Array.from({ length: 6 }, (_, n) => start(`ada ${n}`))
    await settle()
    expect(startedTasks).toEqual(['ada 0', 'ada 1', 'ada 2'])
    all.push(start('bob 0'), start('bob 1'))
    await end('ada 0')
    await end('ada 1')
    // Bob holds one, Ada holds one: it's Ada's turn; then Bob holds fewer again.
    expect(startedTasks.slice(3)).toEqual(['bob 0', 'ada 3'])
    await drain()
    await Promise.all(all)
  })

  test('leaves permits free beyond the limit per user', async () => {
    const { startedTasks, start, settle, drain } = recorder(createSemaphore({ permits: 4, perUser: 2 }))
    const all = [0, 1, 2].map((n) => start(`ada ${n}`))
    all.push(start('bob 0'))
    await settle()
    expect(startedTasks).toEqual(['ada 0', 'ada 1', 'bob 0'])
    await drain()
    await Promise.all(all)
  })

  test('keeps a reserve for users who hold no permit', async () => {
    const { startedTasks, start, settle, drain } = recorder(createSemaphore({ permits: 2, reserve: 1 }))
    const all = [0, 1, 2].map((n) => start(`ada ${n}`))
    all.push(start('bob 0'), start('bob 1'), start('cem 0'))
    await settle()
    expect(startedTasks).toEqual(['ada 0', 'ada 1', 'bob 0'])
    await drain()
    await Promise.all(all)
  })

  test('runs urgent work of any user first, and low-urgency work after the same user’s other work', async () => {
    const { startedTasks, start, drain } = recorder(createSemaphore({ permits: 1 }))
    const all = [start('ada first'), start('ada film', { urgency: 'low' }), start('ada photo'), start('bob photo')]
    all.push(start('ada search', { urgency: 'urgent' }))
    await drain()
    await Promise.all(all)
    expect(startedTasks).toEqual(['ada first', 'ada search', 'bob photo', 'ada photo', 'ada film'])
  })

  test('removes an aborted task from the queue, and throws the reason', async () => {
    const { startedTasks, start, settle, drain } = recorder(createSemaphore({ permits: 1, maxWaiting: 1 }))
    const first = start('ada 0')
    const abort = new AbortController()
    const waiting = start('bob 0', { signal: abort.signal })
    await settle()
    abort.abort(new Error('cancelled'))
    await expect(waiting).rejects.toThrow('cancelled')
    const next = start('cem 0')
    await drain()
    await Promise.all([first, next])
    expect(startedTasks).toEqual(['ada 0', 'cem 0'])
  })

  test('refuses a user with a full queue with 429, and everyone with 503 only when the total is reached', async () => {
    const semaphore = createSemaphore({ permits: 1, maxWaiting: 2, maxWaitingPerUser: 1 })
    const { start, settle, drain } = recorder(semaphore)
    const all = [start('ada 0'), start('ada 1')]
    await settle()
    await expect(start('ada 2')).rejects.toMatchObject({ status: 429, code: 'busy' })
    all.push(start('bob 0'))
    await settle()
    await expect(start('cem 0')).rejects.toMatchObject({ status: 503, code: 'busy', retryAfterSeconds: 5 })
    await drain()
    await Promise.all(all)
  })

  test('releases the permit of failed work', async () => {
    const semaphore = createSemaphore({ permits: 1 })
    await expect(semaphore.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
    expect(await semaphore.run(async () => 'done')).toBe('done')
  })
})
