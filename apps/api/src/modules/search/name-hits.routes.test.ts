import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { markedSnippet, searchesOf } from '../../../test/search-client.ts'
import { startTestApp, type TestApp } from '../../../test/test-app.ts'

let mira: TestApp
let searches: ReturnType<typeof searchesOf>

beforeAll(async () => {
  mira = await startTestApp()
})
beforeEach(async () => {
  searches = searchesOf(mira, await mira.createUser({ can_upload: true }))
})
afterAll(() => mira.close())

const nameOf = (body: string) => ({ kind: 'name', body }) as const
const textOf = (body: string, page?: number) => ({ kind: 'text', body, ...(page && { page }) }) as const

test('a note named like the query is shown by the sentence with the word', async () => {
  await searches.addItem({ mediaType: 'document', originalFilename: 'Umbrella.md' }, [
    nameOf('Umbrella.md · Umbrella'),
    textOf('It rains often. The umbrella is in the boot of the car. Take it.'),
  ])
  const { results } = await searches.search('umbrella')
  expect(results.map(markedSnippet)).toEqual(['It rains often. The ‹umbrella› is in the boot of the car. Take it.'])
  expect(results[0]).toMatchObject({ found_in: 'text', is_named: true, certainty: 'found' })
})

test('a document named like the query is one result, with its best page', async () => {
  const item = await searches.addItem({ mediaType: 'document', originalFilename: 'lease.pdf' }, [
    nameOf('lease.pdf · lease'),
    textOf('Between Ann and Ben.', 1),
    textOf('The lease ends in May.', 2),
  ])
  const { results } = await searches.search('lease')
  expect(results).toHaveLength(1)
  expect(results[0]).toMatchObject({ media_id: item.id, page: 2, found_in: 'text', is_named: true })
})

test('when only the name has the word, the text is shown from its beginning', async () => {
  await searches.addItem({ mediaType: 'document', originalFilename: 'dentist.txt' }, [
    nameOf('dentist.txt · dentist'),
    textOf('Your next check-up is on 3 March.'),
  ])
  const { results } = await searches.search('dentist')
  expect(results.map(markedSnippet)).toEqual(['Your next check-up is on 3 March.'])
  expect(results[0]).toMatchObject({ found_in: 'name', is_named: true, certainty: 'found' })
})

test('a file without text is shown by its name and metadata', async () => {
  await searches.addItem({ originalFilename: 'IMG_1.jpg' }, [nameOf('IMG_1.jpg · IMG 1 · Canon')])
  const { results } = await searches.search('canon')
  expect(results.map(markedSnippet)).toEqual(['IMG_1.jpg · IMG 1 · ‹Canon›'])
})

test('a match in the title or the camera isn’t reported as one in the file name', async () => {
  await searches.addItem({ originalFilename: 'harbour.jpg' }, [nameOf('harbour.jpg · harbour · Voices of the sea')])
  await searches.addItem({ mediaType: 'document', originalFilename: 'scan.pdf' }, [
    nameOf('scan.pdf · scan · Statutes'),
    textOf('The statutes of the club.', 1),
  ])
  const first = async (query: string) => (await searches.search(query)).results[0]
  expect(await first('voices')).toMatchObject({ found_in: 'name', is_named: true, is_in_details: true })
  expect(await first('statutes')).toMatchObject({ found_in: 'text', is_named: true, is_in_details: true })
  const harbour = await first('harbour')
  expect([harbour?.found_in, harbour?.is_in_details]).toEqual(['name', undefined])
  expect((await first('voices harbour'))?.is_in_details).toBeUndefined()
})
