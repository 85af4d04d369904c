import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { createSignedPaths, withoutSignature } from './signed-url.ts'

const secret = 'a secret that only the servers of one instance know'
const userId = randomUUID()
const epoch = randomUUID()
const path = '/api/chat/messages/0/images/0'
const noon = Date.UTC(2026, 10, 20, 12)
const HOUR_MS = 60 * 60 * 1000
const signerAt = (now: number, key = secret) => {
  const paths = createSignedPaths({ secret: key, now: () => now })
  paths.rememberEpoch(userId, epoch)
  return paths
}
const { sign, signForDownload } = signerAt(noon)
const isValid = (url: string, now = noon, linkEpoch = epoch) => signerAt(now).read(url)?.isGenuine(linkEpoch) ?? false

test('a signed path names its user', () => {
  expect(signerAt(noon).read(sign(userId, path))?.userId).toBe(userId)
  expect([isValid(sign(userId, path)), isValid(sign(userId, `${path}?size=thumbnail`))]).toEqual([true, true])
})

test('a signed path is the same all day, and a different one the next day', () => {
  const all = [0, 11, 12, 35].map((hours) => signerAt(noon + hours * HOUR_MS).sign(userId, path))
  expect(all[1]).toBe(all[0])
  expect(all[2]).not.toBe(all[0])
  expect(all[3]).toBe(all[2])
})

test('a signed path is valid until the end of the next day', () => {
  const signed = sign(userId, path)
  expect(isValid(signed, noon + 35.9 * HOUR_MS)).toBe(true)
  expect(isValid(signed, noon + 36 * HOUR_MS)).toBe(false)
})

test('a URL for a download is valid for its lifetime', () => {
  const url = signForDownload(userId, path, 60)
  expect([isValid(url, noon + 60_000), isValid(url, noon + 60_001)]).toEqual([true, false])
  // A download that started in time continues.
  expect(
    signerAt(noon + 60_001)
      .read(url, true)
      ?.isGenuine(epoch),
  ).toBe(true)
})

test('everything signed for a user becomes invalid when their epoch changes', () => {
  const newEpoch = randomUUID()
  for (const url of [sign(userId, path), signForDownload(userId, path, 60)]) {
    expect([isValid(url), isValid(url, noon, newEpoch)]).toEqual([true, false])
  }
  const paths = signerAt(noon)
  paths.rememberEpoch(userId, newEpoch)
  expect(isValid(paths.sign(userId, path), noon, newEpoch)).toBe(true)
})

test('a path signed for a user without a remembered epoch is invalid', () => {
  const url = createSignedPaths({ secret, now: () => noon }).sign(userId, path)
  expect(isValid(url)).toBe(false)
})

test('any change makes a signed path invalid', () => {
  const signed = sign(userId, `${path}?size=thumbnail`)
  const [day, , code = ''] = signed.split('signature=')[1]?.split('.') ?? []
  const changed = {
    path: signed.replace('images/0', 'images/1'),
    query: signed.replace('size=thumbnail', 'size=original'),
    'one more query': signed.replace('?', '?download=1&'),
    day: signed.replace(`=${day}.`, `=${Number(day) + 1}.`),
    'a time for a day': signed.replace(`=${day}.`, `=t${noon}.`),
    user: signed.replace(userId, randomUUID()),
    code: signed.replace(code, `${code[0] === 'A' ? 'B' : 'A'}${code.slice(1)}`),
    'no code': signed.replace(code, ''),
    'a longer code': `${signed}A`,
    'an additional parameter': `${signed}&size=original`,
    'an additional parameter before an allowed one': `${signed}&size=original&size=small`,
    twice: `${signed}&${signed.split('?')[1]}`,
    'no signature': path,
    'an empty one': `${path}?signature=`,
    'another secret': signerAt(noon, `${secret}!`).sign(userId, path),
  }
  for (const [name, url] of Object.entries(changed)) expect([name, isValid(url)]).toEqual([name, false])
})

test('size=small may be appended to a signed path', () => {
  const signed = sign(userId, '/api/media/0/thumbnail')
  expect([isValid(`${signed}&size=small`), isValid(`${signed}&size=small`, noon, randomUUID())]).toEqual([true, false])
})

test('withoutSignature removes only the signature', () => {
  for (const unsigned of [path, `${path}?size=thumbnail`]) {
    expect([withoutSignature(sign(userId, unsigned)), withoutSignature(unsigned)]).toEqual([unsigned, unsigned])
  }
})
