import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { isSealed, seal, unseal, unsealedBytes } from './sealed.ts'

const PASSPHRASE = 'violet harbour teapot'
const streamOf = (content: Buffer) =>
  Readable.from([content.subarray(0, 10), content.subarray(10)], { objectMode: false })
const sealed = (content: Buffer) => buffer(seal(streamOf(content), PASSPHRASE, 10))
const opened = (content: Buffer, passphrase = PASSPHRASE) => buffer(unseal(streamOf(content), passphrase))

test.each([0, 1, 65_536, 65_537, 200_000])('%i bytes come back under the same passphrase', async (bytes) => {
  const content = randomBytes(bytes)
  const sealedBytes = await sealed(content)
  expect(isSealed(sealedBytes)).toBe(true)
  // a single byte stands among others by chance
  if (bytes > 100) expect(sealedBytes.includes(content.subarray(0, 100))).toBe(false)
  expect(await opened(sealedBytes)).toEqual(content)
  expect(unsealedBytes(sealedBytes.length)).toBe(bytes)
})

test('another passphrase, and what was changed, cut off or put in another order, is refused', async () => {
  const content = randomBytes(200_000)
  const sealedBytes = await sealed(content)
  await expect(opened(sealedBytes, 'another one')).rejects.toThrow('the passphrase is wrong')
  const changed = Buffer.from(sealedBytes)
  changed.writeUInt8((changed.at(-1) ?? 0) ^ 1, changed.length - 1)
  await expect(opened(changed)).rejects.toThrow('damaged')
  const [head, piece] = [38, 65_536 + 16]
  await expect(opened(sealedBytes.subarray(0, head + piece))).rejects.toThrow('damaged')
  const [first, second] = [
    sealedBytes.subarray(head, head + piece),
    sealedBytes.subarray(head + piece, head + 2 * piece),
  ]
  const swapped = Buffer.concat([sealedBytes.subarray(0, head), second, first, sealedBytes.subarray(head + 2 * piece)])
  await expect(opened(swapped)).rejects.toThrow('damaged')
  await expect(opened(Buffer.from('PK no seal, but long enough to have one in front of it'))).rejects.toThrow(
    'not sealed',
  )
})
