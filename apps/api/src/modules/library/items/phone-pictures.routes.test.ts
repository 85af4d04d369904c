import { type MediaItemJson, mediaItemSchema } from '@mira/shared'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { phonePicture } from '../../../../test/phone-pictures.ts'
import { plainImage } from '../../../../test/pictures.ts'
import { writeArw, writeCr2, writeCr3, writeDng, writeNef } from '../../../../test/raw-files.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

const WAIT_MS = 240_000

let mira: TestApp
let anna: TestAccount
beforeAll(async () => {
  mira = await startTestApp({ isStarted: true })
  anna = await mira.createUser({ can_upload: true })
})
afterAll(() => mira.close())

const get = (path: string) => mira.request.get(path).auth(anna.token, { type: 'bearer' })
const upload = (content: Buffer, name: string) =>
  mira.request
    .post('/api/media/upload')
    .auth(anna.token, { type: 'bearer' })
    .field('keep_place', 'true')
    .field('wait', '115')
    .attach('file', content, { filename: name, contentType: 'application/octet-stream' })

async function uploadItem(content: Buffer, name: string): Promise<MediaItemJson> {
  const { body } = await upload(content, name).expect(201)
  expect(() => mediaItemSchema.parse(body)).not.toThrow()
  return body
}

const jpegOf = (colour: string) => plainImage({ width: 64, height: 48, colour })

describe('an image from a phone or camera', () => {
  test.each([
    ['IMG_0001.HEIC', 'image/heic', () => phonePicture('turned.heic')],
    ['burst.heics', 'image/heic', () => phonePicture('sequence.heic')],
    ['photo.jxl', 'image/jxl', () => phonePicture('phone.jxl')],
    ['IMG_1.dng', 'image/x-adobe-dng', async () => writeDng({ jpeg: await jpegOf('#aa1111'), orientation: 8 })],
    ['IMG_2.CR2', 'image/x-canon-cr2', async () => writeCr2({ jpeg: await jpegOf('#aa2222') })],
    ['IMG_3.CR3', 'image/x-canon-cr3', async () => writeCr3({ jpeg: await jpegOf('#aa3333') })],
    ['DSC_4.NEF', 'image/x-nikon-nef', async () => writeNef({ jpeg: await jpegOf('#aa4444') })],
    ['DSC0005.ARW', 'image/x-sony-arw', async () => writeArw({ jpeg: await jpegOf('#aa5555') })],
  ])(
    'is stored unchanged and previewed as a JPEG copy: %s',
    async (name, contentType, make) => {
      const content = await make()
      const item = await uploadItem(content, name)
      expect(item).toMatchObject({
        media_type: 'image',
        processing_status: 'completed',
        metadata: { content_type: contentType, original_filename: name },
        thumbhash: expect.any(String),
      })
      const original = await get(`/api/media/${item.id}/file`).buffer(true).expect(200)
      expect(original.body.equals(content)).toBe(true)
      expect(original.headers['content-type']).toBe(contentType)
      expect(original.headers['content-disposition']).toMatch(/^attachment/)
      const preview = await get(item.preview_url as string).expect(200)
      expect(preview.headers['content-type']).toBe('image/jpeg')
      expect(preview.headers['content-disposition']).toMatch(/^inline/)
      const { width, height } = await sharp(preview.body).metadata()
      expect({ width, height }).toEqual({ width: item.metadata.width, height: item.metadata.height })
      await get(item.thumbnail as string)
        .expect(200, /./)
        .expect('content-type', 'image/webp')
    },
    WAIT_MS,
  )

  test(
    'has its capture time, camera, place and text',
    async () => {
      const phone = await uploadItem(phonePicture('phone.heic'), 'phone.heic')
      expect(phone.metadata).toMatchObject({
        taken_at: '2024-05-17T16:42:10.000Z',
        camera: 'Apple iPhone 14 Pro',
        latitude: expect.closeTo(48.8584, 4),
        longitude: expect.closeTo(2.2945, 4),
      })
      const words = await uploadItem(phonePicture('words.heic'), 'words.heic')
      expect(words.extracted_text).toContain('Lighthouse 1887')
    },
    WAIT_MS,
  )

  test(
    'is dated by its name when its file has no date, and found by the keywords in its XMP',
    async () => {
      const words = '<dc:subject><rdf:Bag><rdf:li>marmalade fair</rdf:li></rdf:Bag></dc:subject>'
      const content = await sharp(await jpegOf('#aa6677'))
        .withXmp(`<x:xmpmeta><rdf:RDF><rdf:Description>${words}</rdf:Description></rdf:RDF></x:xmpmeta>`)
        .jpeg()
        .toBuffer()
      const { id, metadata } = await uploadItem(content, 'IMG-20230815-WA0003.jpg')
      const details = { taken_from: 'file name', keywords: 'marmalade fair' }
      expect(metadata).toMatchObject({
        taken_at: '2023-08-15T12:00:00.000Z',
        taken_local: '2023-08-15T12:00:00',
        details,
      })
      const { body } = await get('/api/media/search?query=marmalade').expect(200)
      expect(body.results.map((hit: { media_id: string }) => hit.media_id)).toContain(id)
    },
    WAIT_MS,
  )

  test.each(['moving.gif', 'moving.webp', 'moving.avif'] as const)(
    'that is animated is previewed unchanged: %s',
    async (name) => {
      const item = await uploadItem(phonePicture(name), name)
      expect(item.processing_status).toBe('completed')
      const preview = await get(item.preview_url as string)
        .buffer(true)
        .expect(200)
      expect(preview.body.equals(phonePicture(name))).toBe(true)
      expect(preview.headers['content-disposition']).toMatch(/^inline/)
    },
    WAIT_MS,
  )

  test(
    'can be used for an effect',
    async () => {
      const { body } = await mira.request
        .post('/api/image-effects/effects/apply')
        .auth(anna.token, { type: 'bearer' })
        .field('effect_name', 'sepia')
        .attach('file', phonePicture('turned.heic'), 'IMG_0001.HEIC')
        .expect(200)
      expect(body.result.processed_size).toEqual([48, 64])
    },
    WAIT_MS,
  )
})

describe('a broken or mislabelled image', () => {
  test(
    'fails with a reason and no preview, and the next upload is processed',
    async () => {
      const heic = phonePicture('words.heic')
      const broken: [string, Buffer, RegExp][] = [
        ['half.heic', heic.subarray(0, heic.length / 2), /damaged/],
        ['half.jxl', phonePicture('plain.jxl').subarray(0, 120), /damaged/],
        ['empty.dng', writeDng({ jpeg: null }), /has no preview/],
        ['huge.dng', writeDng({ jpeg: await jpegOf('#123456'), claimedBytes: 4_000_000_000 }), /ends before/],
      ]
      for (const [name, content, reason] of broken) {
        const item = await uploadItem(content, name)
        expect(item).toMatchObject({
          processing_status: 'failed',
          error: expect.stringMatching(reason),
          thumbhash: null,
        })
        const refusal = await get(`/api/media/${item.id}/preview`)
        expect(refusal.status).toBeGreaterThanOrEqual(400)
        expect(refusal.body.detail).toEqual(expect.any(String))
      }
      const next = await uploadItem(await jpegOf('#654321'), 'next.jpg')
      expect(next.processing_status).toBe('completed')
    },
    WAIT_MS,
  )

  test('is rejected when a web page, a drawing or plain text has the name of an image', async () => {
    const page = Buffer.from('<!doctype html><script>alert(1)</script>')
    const drawing = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')
    for (const name of ['a.heic', 'a.jxl', 'a.dng', 'a.avif', 'a.gif']) {
      for (const content of [page, drawing]) await upload(content, name).expect(415)
    }
    await upload(Buffer.from('plain words and nothing else'), 'words.heic').expect(415)
  })
})
