import type { MediaDetailJson, MediaItemJson } from '@mira/shared'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createPhotoLikeImage } from '../../../../test/photographs.ts'
import { noisyImage, plainImage } from '../../../../test/pictures.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

// OCR of an image takes a second, and several on a busy machine.
vi.setConfig({ testTimeout: 90_000 })

let mira: TestApp
let ana: TestAccount
beforeAll(async () => {
  mira = await startTestApp({ isStarted: true })
  ana = await mira.createUser({ can_upload: true })
})
afterAll(() => mira.close())

async function upload(content: Buffer, name: string, fields: Record<string, string> = {}): Promise<MediaItemJson> {
  const request = mira.request
    .post('/api/media/upload')
    .auth(ana.token, { type: 'bearer' })
    .attach('file', content, name)
  for (const [field, value] of Object.entries(fields)) request.field(field, value)
  return (await request.expect(201)).body
}

async function detailOf(id: string): Promise<MediaDetailJson> {
  return (await mira.request.get(`/api/media/${id}`).auth(ana.token, { type: 'bearer' }).expect(200)).body
}

const stepsOf = ({ processing_steps }: MediaItemJson) =>
  Object.fromEntries(processing_steps.map(({ name, status }) => [name, status]))

test('a photo has its upright size, camera and time, a thumbnail and a thumbhash', async () => {
  const photo = await sharp(await plainImage({ width: 600, height: 400 }))
    .withMetadata({ orientation: 6 })
    .withExifMerge({
      IFD0: { Make: 'Apple', Model: 'iPhone 15' },
      IFD2: { DateTimeOriginal: '2024:05:03 14:22:11', OffsetTimeOriginal: '+02:00' },
      IFD3: {
        ...{ GPSLatitudeRef: 'N', GPSLatitude: '48/1 12/1 30/1' },
        ...{ GPSLongitudeRef: 'E', GPSLongitude: '16/1 22/1 12/1' },
      },
    })
    .jpeg()
    .toBuffer()
  const item = await upload(photo, 'Grandma’s garden_2024.jpg')
  expect(item).toMatchObject({ processing_status: 'completed', error: null, timestamp: '2024-05-03T12:22:11.000Z' })
  expect(item.metadata).toMatchObject({ width: 400, height: 600, camera: 'Apple iPhone 15', latitude: null })
  expect(item.thumbhash).toMatch(/^[\w+/]{20,}=*$/)
  expect(stepsOf(item)).toMatchObject({ inspect: 'completed', embed: 'skipped', look: 'skipped' })
  const thumbnail = await mira.request.get(item.thumbnail ?? '').expect(200)
  const { format, width, height } = await sharp(thumbnail.body).metadata()
  expect({ format, width, height }).toEqual({ format: 'webp', width: 341, height: 512 })
  const { rows } = await mira.context.database.pool.query(
    `SELECT kind, body FROM moments WHERE media_item_id = $1 AND tsv @@ plainto_tsquery('simple', 'garden')`,
    [item.id],
  )
  expect(rows).toMatchObject([{ kind: 'name' }])
})

test('a photo has a smaller thumbnail for narrow tiles, cached and protected like the large one', async () => {
  const item = await upload(await createPhotoLikeImage(1200, 900, 1), 'tile.jpg')
  const large = await mira.request.get(item.thumbnail ?? '').expect(200)
  const address = `${item.thumbnail}&size=small`
  const small = await mira.request.get(address).expect(200)
  const { format, width, height } = await sharp(small.body).metadata()
  expect({ format, width, height }).toEqual({ format: 'webp', width: 384, height: 288 })
  expect(small.body.length).toBeLessThan(large.body.length * 0.75)
  expect(small.headers['cache-control']).toBe(large.headers['cache-control'])
  expect(small.headers['cache-control']).toContain('private')
  expect(small.headers.etag).not.toBe(large.headers.etag)
  await mira.request
    .get(address)
    .set('If-None-Match', small.headers.etag as string)
    .expect(304)

  const otherAccount = await mira.createUser({ can_upload: true })
  const unsignedUrl = `/api/media/${item.id}/thumbnail?size=small`
  await mira.request.get(unsignedUrl).auth(otherAccount.token, { type: 'bearer' }).expect(404)
  await mira.request.get(unsignedUrl).auth(ana.token, { type: 'bearer' }).expect(200)
  await mira.request.get(unsignedUrl).expect(401)
})

test('keeps the place of a photo when the user wants that', async () => {
  const IFD3 = {
    GPSLatitudeRef: 'S',
    GPSLatitude: '33/1 51/1 0/1',
    GPSLongitudeRef: 'E',
    GPSLongitude: '151/1 12/1 0/1',
  }
  const photo = await sharp(await plainImage({ colour: '#00aa00' }))
    .withExif({ IFD3 })
    .jpeg()
    .toBuffer()
  const { metadata } = await upload(photo, 'a.jpg', { keep_place: 'true' })
  expect([metadata.latitude, metadata.longitude]).toEqual([expect.closeTo(-33.85, 2), expect.closeTo(151.2, 2)])
})

test('creates a preview of a large image, and of one that not every browser shows', async () => {
  const tiff = await upload(await plainImage({ format: 'tiff', width: 90, height: 60 }), 'scan.tif')
  expect((await mira.request.get(tiff.preview_url ?? '').expect(200)).type).toBe('image/jpeg')
  const large = await upload(await noisyImage({ width: 2400, height: 1800 }), 'large.jpg', { extract_text: 'false' })
  const { body } = await mira.request.get(large.preview_url ?? '').expect(200)
  expect((await sharp(body).metadata()).width).toBe(1568)
})

test('a truncated image is shown as far as it goes, with a note', async () => {
  const original = await noisyImage({ width: 500, height: 500 })
  const item = await upload(original.subarray(0, original.length / 2), 'half.jpg')
  expect(item).toMatchObject({ processing_status: 'completed', thumbnail: expect.any(String) })
  const inspect = item.processing_steps.find(({ name }: { name: string }) => name === 'inspect')
  expect(inspect).toMatchObject({ status: 'completed', error: expect.stringContaining('may be missing') })
})

test('an image that can’t be decoded fails with the reason', async () => {
  const original = await noisyImage({ width: 500, height: 500 })
  const scanHeaderEnd = original.indexOf(Buffer.from([0xff, 0xda])) + 14
  const item = await upload(original.subarray(0, scanHeaderEnd - 14), 'nothing.jpg')
  expect(item).toMatchObject({ processing_status: 'failed', error: expect.stringContaining('damaged') })
  expect(item).toMatchObject({ thumbnail: null, preview_url: null })
  expect(stepsOf(item)).toMatchObject({ inspect: 'failed', read: 'skipped', caption: 'skipped' })
})

test('skips unwanted steps, which can be run later', async () => {
  const item = await upload(await plainImage({ colour: '#0000aa' }), 'b.jpg', {
    generate_caption: 'false',
    extract_text: 'false',
  })
  const unwanted = item.processing_steps.filter(({ name }) => name === 'caption' || name === 'read')
  expect(unwanted.map(({ status, error }) => `${status}: ${error}`)).toEqual([
    'skipped: Its text wasn’t requested.',
    'skipped: No caption was requested.',
  ])
  await mira.request
    .post(`/api/media/${item.id}/reprocess`)
    .auth(ana.token, { type: 'bearer' })
    .send({ steps: ['caption'] })
    .expect(202)
  await expect.poll(async () => (await detailOf(item.id)).processing_status, { timeout: 10_000 }).toBe('completed')
  const caption = (await detailOf(item.id)).processing_steps.find(({ name }) => name === 'caption')
  expect(caption?.error).not.toBe('No caption was requested.')
})

test('inspects all of many images before reading them', async () => {
  // Processing starts only once all are uploaded.
  const otherApp = await startTestApp()
  try {
    const { token } = await otherApp.createUser({ can_upload: true })
    for (let n = 0; n < 6; n++) {
      const picture = await plainImage({ width: 200 + n, height: 100 })
      const request = otherApp.request.post('/api/media/upload').auth(token, { type: 'bearer' })
      await request.attach('file', picture, `${n}.jpg`).field('wait', '0').expect(202)
    }
    await otherApp.context.start()
    const { pool } = otherApp.context.database
    const openItems = `SELECT FROM media_items WHERE processing_status IN ('pending', 'processing')`
    await expect.poll(async () => (await pool.query(openItems)).rowCount, { timeout: 60_000 }).toBe(0)
    const { rows } = await pool.query<{ name: string }>(
      `SELECT name FROM media_steps WHERE name IN ('inspect', 'read') ORDER BY started_at`,
    )
    // Two are processed at once: one may be read while the last one is inspected.
    expect(rows.map(({ name }) => name).lastIndexOf('inspect')).toBeLessThanOrEqual(6)
  } finally {
    await otherApp.close()
  }
})
