import { mkdtemp, readFile, rm, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MediaDetailJson } from '@mira/shared'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { textPdf } from '../../../../test/pdf-files.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'
import { createThreeSceneVideo } from '../../../../test/videos.ts'

// Videos and documents are actually processed.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const bearer = { type: 'bearer' } as const
let folder: string
let video: Buffer
let mira: TestApp
let ana: TestAccount
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mira-item-sources-'))
  const threeScenes = await createThreeSceneVideo(folder, 'mp4', { isSilent: true, width: 960, height: 540 })
  video = await readFile(threeScenes.filename)
  mira = await startTestApp({ isStarted: true })
  ana = await mira.createUser({ can_upload: true })
})
afterAll(async () => {
  await mira?.close()
  await rm(folder, { recursive: true, force: true })
})

async function processFile(content: Buffer, name: string): Promise<MediaDetailJson> {
  const request = mira.request
    .post('/api/media/upload')
    .auth(ana.token, bearer)
    .field({ wait: '0', extract_text: 'false', generate_caption: 'false' })
  const { body } = await request.attach('file', content, name).expect(202)
  const detail = async (): Promise<MediaDetailJson> =>
    (await mira.request.get(`/api/media/${body.id}`).auth(ana.token, bearer).expect(200)).body
  await expect
    .poll(async () => (await detail()).processing_status, { timeout: 100_000, interval: 200 })
    .toMatch(/completed|failed/)
  return detail()
}

/** Blurs an image of an item, which keeps its average colours. */
const blur = (mediaId: string, frameNumber: number | undefined, { token } = ana) =>
  mira.request
    .post('/api/image-effects/effects/apply')
    .auth(token, bearer)
    .field({
      media_id: mediaId,
      effect_name: 'blur',
      ...(frameNumber === undefined ? {} : { frame_number: String(frameNumber) }),
    })

test('uses a frame of a video in full size, or its thumbnail when the video can’t be read', async () => {
  const { id, frames } = await processFile(video, 'holiday.mp4')
  expect(frames).toHaveLength(3)
  const { body } = await blur(id, 3).expect(200)
  expect(body.result.processed_size).toEqual([960, 540])
  const { body: png } = await mira.request.get(body.result.url).buffer(true).expect(200)
  const [red = 0, green = 0, blue = 0] = (await sharp(png).stats()).channels.map(({ mean }) => mean)
  expect([red - 0x10, green - 0x30, blue - 0xa0].every((difference) => Math.abs(difference) < 12)).toBe(true)
  expect((await blur(id, undefined).expect(200)).body.result.processed_size).toEqual([960, 540])

  const { body: gallery } = await mira.request.get('/api/image-effects/effects/gallery').auth(ana.token, bearer)
  expect(gallery.images).toMatchObject([{ source_frame_number: null }, { source_media_id: id, source_frame_number: 3 }])

  expect((await blur(id, 4).expect(422)).body).toMatchObject({ code: 'no_picture' })
  await blur(id, 3, await mira.createUser({ can_upload: true })).expect(404)

  const { pool } = mira.context.database
  const { rows } = await pool.query<{ path: string }>('SELECT path FROM media_items WHERE id = $1', [id])
  await truncate(join(mira.context.config.dataDir, 'files', rows[0]?.path ?? ''), 2000)
  expect((await blur(id, 3).expect(200)).body.result.processed_size).toEqual([512, 288])
})

test('renders a page of a document large enough to be read', async () => {
  const pages = ['one', 'two'].map((word) => ({ lines: [`This is page ${word}.`], width: 600, height: 900 }))
  const { id } = await processFile(await textPdf(pages), 'letter.pdf')
  expect((await blur(id, 2).expect(200)).body.result.processed_size).toEqual([1600, 2400])
  await blur(id, 3).expect(422)

  // Long documents have thumbnails of their first pages only.
  await mira.context.database.pool.query('DELETE FROM media_parts WHERE media_item_id = $1', [id])
  expect((await blur(id, 2).expect(200)).body.result.processed_size).toEqual([1600, 2400])
})

test('rejects a text, which has no image', async () => {
  const { id } = await processFile(Buffer.from('The ferry leaves at nine.\n'), 'note.txt')
  expect((await blur(id, undefined).expect(422)).body).toMatchObject({ code: 'no_picture' })
})
