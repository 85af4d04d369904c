import { buffer } from 'node:stream/consumers'
import { expect, test, vi } from 'vitest'
import { unzip } from '../../../test/unzip.ts'
import { type ZipEntry, zipOf } from './zip.ts'

const WITHIN = { timeout: 20_000, interval: 10 }

test.each([true, false])('an entry dated 1955 is archived like any other, compressed: %s', async (isCompressible) => {
  async function* entries(): AsyncGenerator<ZipEntry> {
    for (const year of [1955, 2020]) {
      const content = (async function* () {
        yield `from ${year}`
      })()
      yield { name: `${year}.txt`, modifiedAt: new Date(Date.UTC(year, 6, 1)), isCompressible, content }
    }
  }
  const files = await unzip(await buffer(zipOf(entries())))
  expect([...files].map(([name, content]) => [name, content.toString()])).toEqual([
    ['1955.txt', 'from 1955'],
    ['2020.txt', 'from 2020'],
  ])
})

test('entries are closed when the archive is destroyed while the next one is awaited', async () => {
  const waitingForNext = Promise.withResolvers<void>()
  const nextEntry = Promise.withResolvers<void>()
  const onClose = vi.fn()
  const entryOf = (name: string): ZipEntry => ({
    ...{ name, modifiedAt: new Date(), isCompressible: false },
    content: (async function* () {
      yield 'text'
    })(),
  })
  async function* entries() {
    try {
      yield entryOf('a.txt')
      waitingForNext.resolve()
      await nextEntry.promise
      yield entryOf('b.txt')
    } finally {
      onClose()
    }
  }
  const archive = zipOf(entries()).on('error', () => {})
  archive.resume()
  await waitingForNext.promise
  archive.destroy()
  await vi.waitFor(() => expect(archive.closed).toBe(true), WITHIN)
  nextEntry.resolve()
  await vi.waitFor(() => expect(onClose).toHaveBeenCalledOnce(), WITHIN)
})
