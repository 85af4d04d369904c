import { expect, test, vi } from 'vitest'
import { type ZipEntry, zipOf } from './zip.ts'

const WITHIN = { timeout: 20_000, interval: 10 }

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
