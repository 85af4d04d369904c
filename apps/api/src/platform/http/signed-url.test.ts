import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { createSignedPaths, withoutSignature } from './signed-url.ts'

const secret = 'a secret that only the servers of one instance know'
const userId = randomUUID()
const epoch = randomUUID()
const path = '/api/chat/messages/0/images/0'
const noon = Date.UTC(2026, 10, 20, 12)
const HOUR_MS = 60 * 60 * 1000
const at = (now: number, key = secret) => {
  const paths = createSignedPaths({ secret: key, now: () => now })
  paths.rememberEpoch(userId, epoch)
  return paths
}
const { sign, ticket } = at(noon)
const opens = (url: string, now = noon, linkEpoch = epoch) => at(now).read(url)?.isGenuine(linkEpoch) ?? false

test('what was signed for a user names them', () => {
  expect(at(noon).read(sign(userId, path))?.userId).toBe(userId)
  expect([opens(sign(userId, path)), opens(sign(userId, `${path}?size=thumbnail`))]).toEqual([true, true])
})

test('a signed path is the same all day, and another one the next', () => {
  const all = [0, 11, 12, 35].map((hours) => at(noon + hours * HOUR_MS).sign(userId, path))
  expect(all[1]).toBe(all[0])
  expect(all[2]).not.toBe(all[0])
  expect(all[3]).toBe(all[2])
})

test('it opens to the end of the next day, and then no more', () => {
  const signed = sign(userId, path)
  expect(opens(signed, noon + 35.9 * HOUR_MS)).toBe(true)
  expect(opens(signed, noon + 36 * HOUR_MS)).toBe(false)
})

test('a ticket opens for as long as it was made for', () => {
  const url = ticket(userId, path, 60)
  expect([opens(url, noon + 60_000), opens(url, noon + 60_001)]).toEqual([true, false])
  // a download that began in time goes on
  expect(
    at(noon + 60_001)
      .read(url, true)
      ?.isGenuine(epoch),
  ).toBe(true)
})

test('everything that was signed for a user is over when their epoch moves', () => {
  const moved = randomUUID()
  for (const url of [sign(userId, path), ticket(userId, path, 60)]) {
    expect([opens(url), opens(url, noon, moved)]).toEqual([true, false])
  }
  const paths = at(noon)
  paths.rememberEpoch(userId, moved)
  expect(opens(paths.sign(userId, path), noon, moved)).toBe(true)
})

test('what is signed for somebody who was not let in opens nothing', () => {
  const url = createSignedPaths({ secret, now: () => noon }).sign(userId, path)
  expect(opens(url)).toBe(false)
})

test('nothing in it can be changed', () => {
  const signed = sign(userId, `${path}?size=thumbnail`)
  const [day, , code = ''] = signed.split('signature=')[1]?.split('.') ?? []
  const changed = {
    path: signed.replace('images/0', 'images/1'),
    query: signed.replace('size=thumbnail', 'size=original'),
    'one more query': signed.replace('?', '?download=1&'),
    day: signed.replace(`=${day}.`, `=${Number(day) + 1}.`),
    'a second for a day': signed.replace(`=${day}.`, `=t${noon}.`),
    user: signed.replace(userId, randomUUID()),
    code: signed.replace(code, `${code[0] === 'A' ? 'B' : 'A'}${code.slice(1)}`),
    'no code': signed.replace(code, ''),
    'a longer code': `${signed}A`,
    'something behind it': `${signed}&size=original`,
    'something before what may stand there': `${signed}&size=original&size=small`,
    twice: `${signed}&${signed.split('?')[1]}`,
    'no signature': path,
    'an empty one': `${path}?signature=`,
    'of another secret': at(noon, `${secret}!`).sign(userId, path),
  }
  for (const [name, url] of Object.entries(changed)) expect([name, opens(url)]).toEqual([name, false])
})

test('a smaller picture of what was signed may be asked for, and is not part of it', () => {
  const signed = sign(userId, '/api/media/0/thumbnail')
  expect([opens(`${signed}&size=small`), opens(`${signed}&size=small`, noon, randomUUID())]).toEqual([true, false])
})

test('a path is kept without what opens it', () => {
  for (const one of [path, `${path}?size=thumbnail`]) {
    expect([withoutSignature(sign(userId, one)), withoutSignature(one)]).toEqual([one, one])
  }
})
