import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { createSignedPaths } from './signed-url.ts'

const secret = 'a secret that only the servers of one instance know'
const userId = randomUUID()
const path = '/api/chat/messages/0/images/0'
const noon = Date.UTC(2026, 10, 20, 12)
const HOUR_MS = 60 * 60 * 1000
const at = (now: number) => createSignedPaths({ secret, now: () => now })
const { sign, read } = at(noon)

test('what was signed for a user names them', () => {
  expect(read(sign(userId, path))).toEqual({ userId })
  expect(read(sign(userId, `${path}?size=thumbnail`))).toEqual({ userId })
})

test('a signed path is the same all day, and another one the next', () => {
  const all = [0, 11, 12, 35].map((hours) => at(noon + hours * HOUR_MS).sign(userId, path))
  expect(all[1]).toBe(all[0])
  expect(all[2]).not.toBe(all[0])
  expect(all[3]).toBe(all[2])
})

test('it opens to the end of the next day, and then no more', () => {
  const signed = sign(userId, path)
  expect(at(noon + 35.9 * HOUR_MS).read(signed)).toEqual({ userId })
  expect(at(noon + 36 * HOUR_MS).read(signed)).toBeNull()
})

test('nothing in it can be changed', () => {
  const signed = sign(userId, `${path}?size=thumbnail`)
  const [day, , code = ''] = signed.split('signature=')[1]?.split('.') ?? []
  const changed = {
    path: signed.replace('images/0', 'images/1'),
    query: signed.replace('size=thumbnail', 'size=original'),
    'one more query': signed.replace('?', '?download=1&'),
    day: signed.replace(`=${day}.`, `=${Number(day) + 1}.`),
    user: signed.replace(userId, randomUUID()),
    code: signed.replace(code, `${code[0] === 'A' ? 'B' : 'A'}${code.slice(1)}`),
    'no code': signed.replace(code, ''),
    'a longer code': `${signed}A`,
    'something behind it': `${signed}&size=original`,
    twice: `${signed}&${signed.split('?')[1]}`,
    'no signature': path,
    'an empty one': `${path}?signature=`,
    'of another secret': createSignedPaths({ secret: `${secret}!`, now: () => noon }).sign(userId, path),
  }
  for (const [name, url] of Object.entries(changed)) expect([name, read(url)]).toEqual([name, null])
})
