import { expect, test } from 'vitest'
import { createAdmission } from './admission.ts'

const limits = { perUser: 1, total: 2, keptFreeBytes: 100 }
const texts = { perUser: { sentence: 'One at a time.', code: 'one_at_a_time' }, total: 'Too many.' }
const begin = (admit: ReturnType<typeof createAdmission>, userId: string) => {
  const { promise, resolve } = Promise.withResolvers<string>()
  return { done: admit(userId, 0, () => promise), end: () => resolve(userId) }
}

test('concurrent work is limited per user and in total, and finished work makes room', async () => {
  const admit = createAdmission({ freeBytes: async () => 1000, limits, texts })
  const ada = begin(admit, 'ada')
  await expect(admit('ada', 0, async () => {})).rejects.toMatchObject({
    status: 429,
    message: 'One at a time.',
    code: 'one_at_a_time',
    retryAfterSeconds: 5,
  })
  const bob = begin(admit, 'bob')
  await expect(admit('eve', 0, async () => {})).rejects.toMatchObject({
    status: 503,
    message: 'Too many.',
    code: 'busy',
  })
  ada.end()
  expect(await ada.done).toBe('ada')
  expect(await admit('eve', 0, async () => 'in')).toBe('in')
  bob.end()
  await bob.done
})

test('work that would fill the disk is refused, and failed work makes room, too', async () => {
  const admit = createAdmission({ freeBytes: async () => 1000, limits, texts })
  await expect(admit('ada', 901, async () => {})).rejects.toMatchObject({ status: 507 })
  await expect(admit('ada', 900, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await admit('ada', 900, async () => 'in')).toBe('in')
})
