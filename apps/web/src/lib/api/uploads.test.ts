import { expect, it } from 'vitest'
import { fingerprintOf } from './uploads.ts'

const file = (content: string, { name = 'a.mp4', lastModified = 1 } = {}) => new File([content], name, { lastModified })

it('the fingerprint is the same for the same file, and differs by name, time, beginning or end', async () => {
  const long = 'x'.repeat(600_000)
  const fingerprint = await fingerprintOf(file(long))
  expect(fingerprint).toMatch(/^600000-1-[0-9a-f]{16}$/)
  expect(await fingerprintOf(file(long))).toBe(fingerprint)
  const others = [
    file(long, { name: 'b.mp4' }),
    file(long, { lastModified: 2 }),
    file(`y${long.slice(1)}`),
    file(`${long.slice(1)}y`),
    file(`${long}x`),
  ]
  const prints = await Promise.all(others.map(fingerprintOf))
  expect(new Set([fingerprint, ...prints]).size).toBe(others.length + 1)
})
