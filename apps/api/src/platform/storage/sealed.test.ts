import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { isSealed, seal, unseal, unsealedBytes } from './sealed.ts'

const PASSPHRASE = 'violet harbour teapot'
const streamOf = (content: Buffer) =>
  Readable.from([content.subarray(0, 10), content.subarray(10)], { objectMode: false })
const sealBytes = (content: Buffer) => buffer(seal(streamOf(content), PASSPHRASE, 10))
const unsealBytes = (content: Buffer, passphrase = PASSPHRASE) => buffer(unseal(streamOf(content), passphrase))

test.each([0, 1, 65_536, 65_537, 200_000])('%i bytes are restored with the same passphrase', async (bytes) => {
  const content = randomBytes(bytes)
  const sealedBytes = await sealBytes(content)
  expect(isSealed(sealedBytes)).toBe(true)
  // A single byte may occur by chance.
  if (bytes > 100) expect(sealedBytes.includes(content.subarray(0, 100))).toBe(false)
  expect(await unsealBytes(sealedBytes)).toEqual(content)
  expect(unsealedBytes(sealedBytes.length)).toBe(bytes)
})

test('another passphrase, and changed, truncated or reordered content, is refused', async () => {
  const content = randomBytes(200_000)
  const sealedBytes = await sealBytes(content)
  await expect(unsealBytes(sealedBytes, 'another one')).rejects.toThrow('the passphrase is wrong')
  const changed = Buffer.from(sealedBytes)
  changed.writeUInt8((changed.at(-1) ?? 0) ^ 1, changed.length - 1)
  await expect(unsealBytes(changed)).rejects.toThrow('damaged')
  const [head, piece] = [38, 65_536 + 16]
  await expect(unsealBytes(sealedBytes.subarray(0, head + piece))).rejects.toThrow('damaged')
  const [first, second] = [
    sealedBytes.subarray(head, head + piece),
    sealedBytes.subarray(head + piece, head + 2 * piece),
  ]
  const swapped = Buffer.concat([sealedBytes.subarray(0, head), second, first, sealedBytes.subarray(head + 2 * piece)])
  await expect(unsealBytes(swapped)).rejects.toThrow('damaged')
  await expect(unsealBytes(Buffer.from('PK no seal, but long enough to have one in front of it'))).rejects.toThrow(
    'not sealed',
  )
})
