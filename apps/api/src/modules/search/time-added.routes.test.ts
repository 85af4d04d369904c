import { afterAll, beforeAll, expect, test } from 'vitest'
import { searchesOf } from '../../../test/search-client.ts'
import { startTestApp, type TestApp } from '../../../test/test-app.ts'

let mira: TestApp
beforeAll(async () => {
  mira = await startTestApp()
})
afterAll(() => mira.close())

test('a day on which items were added is another one than the day they were taken', async () => {
  const account = await mira.createUser({ can_upload: true })
  const { addItem, search } = searchesOf(mira, account)
  const [now, weekAgo] = [new Date(), new Date(Date.now() - 7 * 24 * 60 * 60 * 1000)]
  const add = (originalFilename: string, takenAt: Date, createdAt: Date) =>
    addItem({ mediaType: 'image', originalFilename, takenAt, createdAt }, [`Peonies in ${originalFilename}`])
  await add('wedding.jpg', new Date('1998-07-04T12:00:00Z'), now)
  await add('garden.jpg', now, weekAgo)
  const firstName = async (query: string) => (await search(query)).results[0]?.original_filename
  expect(await firstName('photos I uploaded today')).toBe('wedding.jpg')
  expect(await firstName('peonies I uploaded today')).toBe('wedding.jpg')
  expect(await firstName('photos from today')).toBe('garden.jpg')
  expect(await firstName('peonies today')).toBe('garden.jpg')
})
