import bcrypt from 'bcrypt'
import { describe, expect, test, vi } from 'vitest'
import { ValidationError } from '../../../errors.ts'
import { createPasswordHasher, generatePassword, requireStrongPassword } from './password-hash.ts'

const owner = { username: 'margaret', email: 'peggy.hill@example.org', assistantName: 'Mira' }

const check = (password: string) =>
  requireStrongPassword(password, owner).then(
    () => 'accepted',
    (error: unknown) => error,
  )

describe('refuses an easily guessed password with the reason and what to do', () => {
  test.each([
    ['password12', 'It is a commonly used password.'],
    ['aaaaaaaaaaaa', 'Repeated characters are easy to guess.'],
    ['qwertyuiop', 'It is one of the hundred most used passwords.'],
    ['margaret-2026', 'It is built from the username, the email address or the name of the assistant.'],
    ['my.PEGGY.HILL.1', 'It is built from the username, the email address or the name of the assistant.'],
    ['mira likes boats', 'It is built from the username, the email address or the name of the assistant.'],
  ])('%s', async (password, reason) => {
    const error = await check(password)
    expect(error).toBeInstanceOf(ValidationError)
    const message = `This password is too easy to guess. ${reason} Use a few unrelated words, or let a password manager create one.`
    expect(error).toMatchObject({ message, code: 'weak_password', errors: [{ path: 'password', message }] })
  })
})

test.each(['violet-harbour-teapot-91', 'kT9#vv2Lq0', 'an admirable yellow fox', 'пароль-из-четырёх-слов'])(
  'accepts %s',
  async (password) => {
    expect(await check(password)).toBe('accepted')
  },
)

test('checks a password designed to be slow with bounded work', async () => {
  await check('violet-harbour')
  const slice = vi.spyOn(String.prototype, 'slice')
  try {
    for (const piece of ['p4$$w0rd', '4@8({[<369&#!1/|0$5+7%2', 'P4$$w0rdZ3br4!L1ghth0us3', '1/1/1991']) {
      slice.mockClear()
      await check(piece.repeat(9).slice(0, 72))
      // one call for each part examined
      expect(slice.mock.calls.length, piece).toBeLessThan(30_000)
    }
  } finally {
    slice.mockRestore()
  }
})

test('generated passwords are strong, readable and unique', async () => {
  const passwords = Array.from({ length: 50 }, generatePassword)
  expect(new Set(passwords).size).toBe(50)
  for (const password of passwords) expect(password).toMatch(/^([a-hjkmnp-z2-9]{5}-){3}[a-hjkmnp-z2-9]{5}$/)
  expect(await check(passwords[0] ?? '')).toBe('accepted')
})

describe('hashes', () => {
  const hasher = createPasswordHasher(4)

  test('match the right password and no other', async () => {
    const hash = await hasher.hash('violet-harbour')
    expect(await Promise.all([hasher.matches('violet-harbour', hash), hasher.matches('violet-harbor', hash)])).toEqual([
      true,
      false,
    ])
  })

  test('of 72 bytes don’t match a longer password that begins with them', async () => {
    const password = 'x'.repeat(72)
    const hash = await hasher.hash(password)
    expect(await hasher.matches(password, hash)).toBe(true)
    expect(await hasher.matches(`${password}y`, hash)).toBe(false)
  })

  test('of a missing account match nothing, with the same amount of work', async () => {
    const hash = await hasher.hash('violet-harbour')
    const compare = vi.spyOn(bcrypt, 'compare')
    try {
      expect(await hasher.matches('wrong', hash)).toBe(false)
      expect(await hasher.matches('wrong', null)).toBe(false)
      const [known, unknown] = compare.mock.calls.map(([, compared]) => bcrypt.getRounds(compared))
      expect([known, unknown]).toEqual([4, 4])
    } finally {
      compare.mockRestore()
    }
  })

  test('are compared without blocking the event loop', async () => {
    const costly = createPasswordHasher(11)
    let ticks = 0
    const counter = setInterval(() => ticks++, 5)
    await costly.matches('wrong', null)
    clearInterval(counter)
    expect(ticks).toBeGreaterThan(3)
  })

  test('comparisons of suspects leave half of the queue to others', async () => {
    const guesses = Array.from({ length: 150 }, () => hasher.matches('wrong', null, { isSuspect: true }))
    const others = Array.from({ length: 100 }, () => hasher.matches('wrong', null))
    const refused = async (all: Promise<boolean>[]) =>
      (await Promise.allSettled(all)).filter(({ status }) => status === 'rejected').length
    expect(await Promise.all([refused(guesses), refused(others)])).toEqual([48, 0])
  })

  test('comparisons of others don’t wait behind suspects', async () => {
    const order: string[] = []
    const guesses = Array.from({ length: 20 }, () =>
      hasher.matches('wrong', null, { isSuspect: true }).then(() => order.push('a guess')),
    )
    const owner = hasher.matches('wrong', null).then(() => order.push('the owner'))
    await Promise.all([...guesses, owner])
    // two were already being compared, and a busy machine may finish some more first
    expect(order.indexOf('the owner')).toBeLessThan(10)
  })

  test('comparisons beyond a full queue are refused with 503', async () => {
    const all = await Promise.allSettled(Array.from({ length: 210 }, () => hasher.matches('wrong', null)))
    const refused = all.filter(({ status }) => status === 'rejected')
    expect(refused).toHaveLength(8)
    expect(refused[0]).toMatchObject({ reason: { status: 503, retryAfterSeconds: 5 } })
    // the queue has emptied
    expect(await hasher.matches('wrong', null)).toBe(false)
  })
})
