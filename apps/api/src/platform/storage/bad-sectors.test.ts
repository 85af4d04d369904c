import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { openUntilBadSector } from './bad-sectors.ts'

const failing = (code: string) =>
  async function* () {
    yield Buffer.from('half')
    throw Object.assign(new Error('no luck'), { code })
  }
const filesOf = (content: () => AsyncIterable<Uint8Array>) => {
  const stream = Readable.from(content(), { objectMode: false })
  return { stream, files: { open: async () => ({ sizeBytes: 8, stream }) } }
}

test('a file ends at its bad sector, and fails at any other error', async () => {
  const damaged = await openUntilBadSector(filesOf(failing('EIO')).files, 'path')
  expect(await text(damaged.stream)).toBe('half')
  const disconnected = await openUntilBadSector(filesOf(failing('ECONNRESET')).files, 'path')
  await expect(text(disconnected.stream)).rejects.toThrow('no luck')
})

test('a file that cannot be opened because of a bad sector is empty', async () => {
  const refuse = (code: string) => ({ open: () => Promise.reject(Object.assign(new Error('no luck'), { code })) })
  const { sizeBytes, stream } = await openUntilBadSector(refuse('EIO'), 'path')
  expect([sizeBytes, await text(stream)]).toEqual([0, ''])
  await expect(openUntilBadSector(refuse('EMFILE'), 'path')).rejects.toThrow('no luck')
})

test('a file that is not read is closed', async () => {
  const { stream, files } = filesOf(failing('EIO'))
  const opened = await openUntilBadSector(files, 'path')
  opened.stream.destroy()
  await expect.poll(() => stream.destroyed).toBe(true)
})
