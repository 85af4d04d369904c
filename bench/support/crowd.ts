import { setTimeout as sleep } from 'node:timers/promises'
import { createMira } from '@mira/client'
import type { Random } from '../../apps/api/test/chance.ts'
import { PASSWORD } from './chat-targets.ts'
import { mapConcurrently } from './mira-client.ts'
import type { SimulatedUser } from './person-at-work.ts'

type Mira = ReturnType<typeof createMira>

/** Concurrent requests; a sign-in takes a quarter of a second of processor time. */
const CONCURRENCY = 4
const MAX_SETTLING_MS = 10 * 60_000

async function signIn(url: string, username: string): Promise<string> {
  const body = new URLSearchParams({ username, password: PASSWORD })
  const response = await fetch(`${url}/api/auth/login`, { method: 'POST', body })
  if (!response.ok) throw new Error(`${username} cannot sign in: ${await response.text()}`)
  return ((await response.json()) as { access_token: string }).access_token
}

/** Creates accounts with the permissions to use everything, each with a client per URL. */
export async function makeAccounts(
  urls: string[],
  count: number,
  first = 0,
): Promise<{ name: string; miras: Mira[] }[]> {
  const [url = ''] = urls
  const admin = createMira({ url, token: await signIn(url, 'admin') })
  const names = Array.from({ length: count }, (_, index) => `person${first + index}`)
  return mapConcurrently(names, CONCURRENCY, async (name) => {
    const permissions = { can_chat: true, can_upload: true, can_use_agents: true }
    const account = { username: name, email: `${name}@example.org`, password: PASSWORD, ...permissions }
    await admin.call('POST /admin/users', { json: account })
    const token = await signIn(url, name)
    return { name, miras: urls.map((serverUrl) => createMira({ url: serverUrl, token })) }
  })
}

/** Reads the event stream like an open page, until it is aborted. */
export async function readEvents(mira: Mira, signal: AbortSignal, onError: (sentence: string) => void): Promise<void> {
  try {
    const events = mira.streamEvents(signal)
    while (!(await events.next()).done);
    if (!signal.aborted) onError('the stream of events ended')
  } catch (error) {
    if (!signal.aborted) onError(`the stream of events broke off: ${error}`)
  }
}

/** Closed model: each user acts and thinks in turn, and does nothing while waiting for a response. */
export async function runClosedLoop(people: SimulatedUser[], chance: Random, thinkingMs: number, ms: number) {
  const endsAt = performance.now() + ms
  const actAndThink = async (person: SimulatedUser) => {
    await sleep(chance() * thinkingMs)
    while (performance.now() < endsAt) {
      await person.act(performance.now())
      await sleep(-Math.log(1 - chance()) * thinkingMs)
    }
  }
  await Promise.all(people.map(actAndThink))
}

/**
 * Open model: actions arrive at random times, `everyMs` apart per user on average, however long the others take; each is
 * measured from its scheduled time. Resolves with their number when all have ended.
 */
export async function runOpenLoop(
  people: SimulatedUser[],
  chance: Random,
  {
    everyMs,
    isOver,
    deed,
  }: { everyMs: number; isOver(ms: number): boolean; deed?: Parameters<SimulatedUser['act']>[1] },
): Promise<number> {
  const startedAt = performance.now()
  const acts: Promise<void>[] = []
  const gap = () => (-Math.log(1 - chance()) * everyMs) / people.length
  for (let due = startedAt + gap(); !isOver(due - startedAt); due += gap()) {
    await sleep(Math.max(0, due - performance.now()))
    const person = people[Math.floor(chance() * people.length)]
    if (person) acts.push(person.act(due, deed))
  }
  await Promise.all(acts)
  return acts.length
}

/** Waits until all uploads are processed. @throws Error when that takes too long. */
export async function waitForProcessing(miras: Mira[]): Promise<{ waiting: number; seconds: number }> {
  const settled = await waitForProcessingUpTo(miras, MAX_SETTLING_MS)
  if (settled.remaining > 0) throw new Error(`${settled.remaining} uploads weren’t processed`)
  return settled
}

/** Numbers of unprocessed uploads, at first and when all are processed or `maxMs` has passed. */
export async function waitForProcessingUpTo(
  miras: Mira[],
  maxMs: number,
): Promise<{ waiting: number; remaining: number; seconds: number }> {
  const startedAt = performance.now()
  let busy = miras
  const count = async () => {
    const counts = await mapConcurrently(busy, CONCURRENCY, async (mira) => ({
      mira,
      ...(await mira.call('GET /media/stats')),
    }))
    busy = counts.flatMap(({ mira, processing }) => (processing > 0 ? [mira] : []))
    return counts.reduce((sum, { processing }) => sum + processing, 0)
  }
  const waiting = await count()
  let remaining = waiting
  while (remaining > 0 && performance.now() - startedAt < maxMs) {
    await sleep(1000)
    remaining = await count()
  }
  return { waiting, remaining, seconds: (performance.now() - startedAt) / 1000 }
}

/** Deviations from the acknowledged data, as sentences. */
export const deviationsOf = async (people: SimulatedUser[]): Promise<string[]> =>
  (await mapConcurrently(people, CONCURRENCY, (person) => person.deviations())).flat()
