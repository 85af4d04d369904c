import type { MediaDetailJson, MediaItemJson, ProcessingStepName } from '@mira/shared'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { textPdf } from '../../../../test/pdf-files.ts'
import { searchesOf } from '../../../../test/search-client.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'
import { textImage } from '../../../../test/written-pictures.ts'

// OCR of a page takes part of a second, and several seconds on a busy machine.
vi.setConfig({ testTimeout: 900_000 })

/** More pages than one turn reads. */
const PAGES = 28
const waitOptions = { timeout: 400_000, interval: 100 }

let mira: TestApp
let ana: TestAccount
beforeAll(async () => {
  mira = await startTestApp({ isStarted: true })
  ana = await mira.createUser({ can_upload: true })
})
afterAll(() => mira.close())

const card = (page: number) => `Index card ${1000 + page}`
const pictureOf = (page: number) => textImage(card(page), { width: 600, height: 160, fontSize: 48 })

async function scanOf(pages: number): Promise<Buffer> {
  const pictures = await Promise.all(Array.from({ length: pages }, (_, index) => pictureOf(index + 1)))
  return textPdf(pictures.map((picture) => ({ picture, width: 600, height: 160 })))
}

async function add(content: Buffer, name: string): Promise<MediaItemJson> {
  const uploadRequest = mira.request.post('/api/media/upload').auth(ana.token, { type: 'bearer' }).field('wait', '0')
  return (await uploadRequest.attach('file', content, name).expect(202)).body
}

async function detailOf(id: string): Promise<MediaDetailJson> {
  return (await mira.request.get(`/api/media/${id}`).auth(ana.token, { type: 'bearer' }).expect(200)).body
}

async function findPages(query: string) {
  const { results } = await searchesOf(mira, ana).search(query)
  return results.filter(({ content }) => content.includes(query.split(' ').at(-1) ?? query)).map(({ page }) => page)
}

const statusOf = ({ processing_steps }: MediaItemJson, step: ProcessingStepName) =>
  processing_steps.find(({ name }) => name === step)?.status

const textsOf = ({ pages }: MediaDetailJson) => pages.map(({ text }) => text.trim())

test('a long scan is searchable while it’s read, despite changes meanwhile, and contains each page once at the end', async () => {
  const { id } = await add(await scanOf(PAGES), 'cards.pdf')
  await vi.waitFor(async () => expect(await findPages(card(3))).toEqual([3]), waitOptions)
  const early = await detailOf(id)
  expect(statusOf(early, 'read')).toMatch(/pending|processing/)
  const firstTurn = Array.from({ length: 25 }, (_, index) => card(index + 1))
  expect(textsOf(early)).toEqual(firstTurn)

  const corrected = { pages: [{ page: 2, text: 'A card that I know better' }] }
  await mira.request.patch(`/api/media/${id}`).auth(ana.token, { type: 'bearer' }).send(corrected).expect(200)
  const reprocessRequest = mira.request.post(`/api/media/${id}/reprocess`).auth(ana.token, { type: 'bearer' })
  await reprocessRequest.send({ steps: ['read'] }).expect(202)
  // Pages read before stay searchable until they're read again.
  expect(await findPages(card(3))).toEqual([3])

  await vi.waitFor(async () => expect((await detailOf(id)).processing_status).toBe('completed'), waitOptions)
  const detail = await detailOf(id)
  const expectedTexts = Array.from({ length: PAGES }, (_, index) =>
    index === 1 ? corrected.pages[0]?.text : card(index + 1),
  )
  expect(textsOf(detail)).toEqual(expectedTexts)
  expect(detail.extracted_text).toBe(expectedTexts.join('\n\n'))
  expect(await findPages(card(2))).toEqual([])
  expect(await findPages(card(PAGES))).toEqual([PAGES])
})

test('a document full of images is searchable by its text before its images are read', async () => {
  const pictures = await Promise.all(Array.from({ length: 12 }, (_, index) => pictureOf(index + 500)))
  const images = pictures.map((picture) => `<img src="data:image/png;base64,${picture.toString('base64')}">`).join('\n')
  const { id } = await add(Buffer.from(`<p>The minutes of the boiler meeting</p>${images}`), 'minutes.html')
  const { snippets } = searchesOf(mira, ana)
  await vi.waitFor(async () => expect((await snippets('boiler meeting'))[0]).toContain('‹boiler›'), waitOptions)
  expect(statusOf(await detailOf(id), 'read')).toMatch(/pending|processing/)
  await vi.waitFor(async () => expect((await detailOf(id)).processing_status).toBe('completed'), waitOptions)
  expect((await snippets(card(511)))[0]).toContain('‹1511›')
  expect((await snippets('boiler meeting'))[0]).toContain('‹boiler›')
})
