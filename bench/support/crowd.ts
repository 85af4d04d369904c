import { setTimeout as sleep } from 'node:timers/promises'
import { createMira } from '@mira/client'
import type { Chance } from '../../apps/api/test/chance.ts'
import { PASSWORD } from './chat-targets.ts'
import { forEachOf } from './mira-client.ts'
import type { PersonAtWork } from './person-at-work.ts'

type Mira = ReturnType<typeof createMira>

/** Signing in costs a quarter of a second of a processor. */
const SIGNED_IN_AT_ONCE = 4
const MAX_SETTLING_MS = 10 * 60_000

async function signIn(url: string, username: string): Promise<string> {
  const body = new URLSearchParams({ username, password: PASSWORD })
  const response = await fetch(`${url}/api/auth/login`, { method: 'POST', body })
  if (!response.ok) throw new Error(`${username} cannot sign in: ${await response.text()}`)
  return ((await response.json()) as { access_token: string }).access_token
}

/** Makes accounts with the rights of somebody who uses everything, each signed in at every address. */
export async function makeAccounts(
  urls: string[],
  count: number,
  first = 0,
): Promise<{ name: string; miras: Mira[] }[]> {
  const [url = ''] = urls
  const admin = createMira({ url, token: await signIn(url, 'admin') })
  const names = Array.from({ length: count }, (_, at) => `person${first + at}`)
  return forEachOf(names, SIGNED_IN_AT_ONCE, async (name) => {
    const rights = { can_chat: true, can_upload: true, can_use_agents: true }
    const account = { username: name, email: `${name}@example.org`, password: PASSWORD, ...rights }
    await admin.call('POST /admin/users', { json: account })
    const token = await signIn(url, name)
    return { name, miras: urls.map((each) => createMira({ url: each, token })) }
  })
}

/** Reads the stream of events as an open page does, until the person leaves. */
export async function follow(mira: Mira, signal: AbortSignal, onError: (sentence: string) => void): Promise<void> {
  try {
    const events = mira.follow(signal)
    while (!(await events.next()).done);
    if (!signal.aborted) onError('the stream of events ended')
  } catch (error) {
    if (!signal.aborted) onError(`the stream of events broke off: ${error}`)
  }
}

/** Everybody does one thing after the other, with time to think between: who waits does nothing meanwhile. */
export async function thinkBetween(people: PersonAtWork[], chance: Chance, thinkingMs: number, ms: number) {
  const until = performance.now() + ms
  const live = async (person: PersonAtWork) => {
    await sleep(chance() * thinkingMs)
    while (performance.now() < until) {
      await person.act(performance.now())
      await sleep(-Math.log(1 - chance()) * thinkingMs)
    }
  }
  await Promise.all(people.map(live))
}

/**
 * Deeds arrive at random times, each person's `everyMs` apart on the average, however long the others take; each is
 * measured from the time at which it was due. Resolves with their number when all have ended.
 */
export async function arrive(
  people: PersonAtWork[],
  chance: Chance,
  {
    everyMs,
    isOver,
    deed,
  }: { everyMs: number; isOver(ms: number): boolean; deed?: Parameters<PersonAtWork['act']>[1] },
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

/** Waits until everything is taken in. @throws Error when that takes too long. */
export async function settle(miras: Mira[]): Promise<{ waiting: number; seconds: number }> {
  const settled = await settleWithin(miras, MAX_SETTLING_MS)
  if (settled.left > 0) throw new Error(`${settled.left} uploads were not taken in`)
  return settled
}

/** Numbers of uploads that aren't taken in yet, at first and after as long as it takes or may take. */
export async function settleWithin(
  miras: Mira[],
  maxMs: number,
): Promise<{ waiting: number; left: number; seconds: number }> {
  const startedAt = performance.now()
  let busy = miras
  const count = async () => {
    const counts = await forEachOf(busy, SIGNED_IN_AT_ONCE, async (mira) => ({
      mira,
      ...(await mira.call('GET /media/stats')),
    }))
    busy = counts.flatMap(({ mira, processing }) => (processing > 0 ? [mira] : []))
    return counts.reduce((sum, { processing }) => sum + processing, 0)
  }
  const waiting = await count()
  let left = waiting
  while (left > 0 && performance.now() - startedAt < maxMs) {
    await sleep(1000)
    left = await count()
  }
  return { waiting, left, seconds: (performance.now() - startedAt) / 1000 }
}

/** Everything that isn't as it was acknowledged, as sentences. */
export const deviationsOf = async (people: PersonAtWork[]): Promise<string[]> =>
  (await forEachOf(people, SIGNED_IN_AT_ONCE, (person) => person.deviations())).flat()
