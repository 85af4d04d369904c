import { buffer } from 'node:stream/consumers'
import { expect, test, vi } from 'vitest'
import { unzip } from '../../../test/unzip.ts'
import { type ZipEntry, zipOf } from './zip.ts'

const WITHIN = { timeout: 20_000, interval: 10 }

test.each([true, false])('a photo of 1955 is packed like any other, compressed: %s', async (isCompressible) => {
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

test('entries are let go when their reader leaves while the next one is looked for', async () => {
  const looking = Promise.withResolvers<void>()
  const departure = Promise.withResolvers<void>()
  const letGo = vi.fn()
  const entryOf = (name: string): ZipEntry => ({
    ...{ name, modifiedAt: new Date(), isCompressible: false },
    content: (async function* () {
      yield 'text'
    })(),
  })
  async function* entries() {
    try {
      yield entryOf('a.txt')
      looking.resolve()
      await departure.promise
      yield entryOf('b.txt')
    } finally {
      letGo()
    }
  }
  const archive = zipOf(entries()).on('error', () => {})
  archive.resume()
  await looking.promise
  archive.destroy()
  await vi.waitFor(() => expect(archive.closed).toBe(true), WITHIN)
  departure.resolve()
  await vi.waitFor(() => expect(letGo).toHaveBeenCalledOnce(), WITHIN)
})
