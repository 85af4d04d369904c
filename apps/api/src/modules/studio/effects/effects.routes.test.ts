import {
  applyResponseSchema,
  batchResponseSchema,
  effectNames,
  effectsAvailableSchema,
  effectsGallerySchema,
} from '@mira/shared'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readBinary } from '../../../../test/binary.ts'
import { startOpenAiServer } from '../../../../test/openai-server.ts'
import { noisyImage, plainImage, pngWithClaimedSize } from '../../../../test/pictures.ts'
import { startTestApp, type TestApp } from '../../../../test/test-app.ts'

let mira: TestApp
let token: string
beforeAll(async () => {
  mira = await startTestApp({ isStarted: true })
  token = (await mira.createUser({ can_upload: true })).token
})
afterAll(() => mira.close())

const effects = '/api/image-effects/effects'
const post = (path: string, userToken = token) =>
  mira.request.post(`${effects}/${path}`).auth(userToken, { type: 'bearer' })
const get = (path: string, userToken = token) =>
  mira.request.get(`${effects}/${path}`).auth(userToken, { type: 'bearer' })
const apply = (picture: Buffer, fields: Record<string, string>, userToken = token) =>
  post('apply', userToken).field(fields).attach('file', picture, 'holiday.jpg')
const download = async (id: string, query = '', userToken = token) =>
  (await get(`download/${id}${query}`, userToken).buffer(true).parse(readBinary).expect(200)).body as Buffer

test('lists the effects by name and by category, with the reason why those that need a model are unavailable', async () => {
  const { body } = await get('available').expect(200)
  expect(effectsAvailableSchema.parse(body)).toEqual(body)
  expect(Object.keys(body.effects).sort()).toEqual([...effectNames].sort())
  expect(body.effects.sepia).toEqual({
    name: 'Sepia',
    description: 'The warm brown of an old photograph.',
    category: 'filter',
    requires_ai: false,
    available: true,
  })
  expect(body.effects.ai_restyle).toMatchObject({
    requires_ai: true,
    available: false,
    unavailable_reason: 'No model that edits pictures is connected. Ask an administrator.',
    unavailable_told: [expect.objectContaining({ params: expect.objectContaining({ variable: '' }) })],
  })
  // Only administrators see the variable that sets it.
  const { body: catalogue } = await get('available', mira.admin.token).expect(200)
  expect(catalogue.effects.ai_restyle).toMatchObject({
    unavailable_reason: expect.stringContaining('IMAGE_MODEL'),
    unavailable_told: [expect.objectContaining({ params: expect.objectContaining({ variable: 'IMAGE_MODEL' }) })],
  })
  expect([...body.categories.artistic, ...body.categories.filter, ...body.categories.stylized].sort()).toEqual(
    [...effectNames].sort(),
  )
})

describe('applying an effect', () => {
  test('returns an image of the same size that can be downloaded as a PNG', async () => {
    const picture = await noisyImage({ width: 120, height: 80 })
    const { body } = await apply(picture, { effect_name: 'sepia', intensity: '1.0' }).expect(200)
    expect(applyResponseSchema.parse(body)).toEqual(body)
    expect(body).toMatchObject({
      success: true,
      result: { effect_name: 'sepia', effect_display_name: 'Sepia', processed_size: [120, 80] },
    })
    const png = await download(body.result.download_id)
    expect(await sharp(png).metadata()).toMatchObject({ format: 'png', width: 120, height: 80 })
    expect(body.result.file_size_mb * 1024 * 1024).toBeCloseTo(png.length)
    const [red, , blue] = (await sharp(png).stats()).channels
    expect(red?.mean).toBeGreaterThan((blue?.mean ?? 0) + 20)
  })

  test('gives the same bytes for the same image and recipe', async () => {
    const picture = await noisyImage({ width: 200, height: 150 })
    const recipe = JSON.stringify([{ effect_name: 'watercolor', intensity: 0.7 }, { effect_name: 'film_grain' }])
    const [first, second] = [await apply(picture, { recipe }).expect(200), await apply(picture, { recipe }).expect(200)]
    expect(first.body.result.effect_display_name).toBe('Watercolor + Film Grain')
    expect(await download(first.body.result.download_id)).toEqual(await download(second.body.result.download_id))
  })

  test('applies the effects of a recipe in order', async () => {
    const picture = await noisyImage({ width: 60, height: 40 })
    const steps = [
      { effect_name: 'posterize', intensity: 2 },
      { effect_name: 'blur', intensity: 1 },
    ]
    const [inOrder, inReverse] = await Promise.all(
      [steps, [...steps].reverse()].map(async (recipe) => {
        const { body } = await apply(picture, { recipe: JSON.stringify(recipe) }).expect(200)
        return download(body.result.download_id)
      }),
    )
    expect(inOrder?.equals(inReverse as Buffer)).toBe(false)
  })

  test('turns the image upright, keeps its colour profile and transparency, and removes the place', async () => {
    const photo = await sharp({ create: { width: 60, height: 40, channels: 3, background: '#c04030' } })
      .withMetadata({ orientation: 6 })
      .withIccProfile('p3')
      .withExifMerge({
        IFD0: { Make: 'Acme', Model: 'One' },
        IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' },
      })
      .jpeg()
      .toBuffer()
    const { body } = await apply(photo, { effect_name: 'warm' }).expect(200)
    expect(body.result.processed_size).toEqual([40, 60])
    const metadata = await sharp(await download(body.result.download_id)).metadata()
    expect(metadata.icc).toEqual((await sharp(photo).metadata()).icc)
    expect(metadata.exif?.toString('latin1')).toContain('Acme')
    expect(metadata.exif?.toString('latin1')).not.toContain('GPS')
    expect(metadata.orientation ?? 1).toBe(1)

    const glass = await sharp({ create: { width: 20, height: 20, channels: 4, background: '#3060c080' } })
      .png()
      .toBuffer()
    const translucent = await apply(glass, { effect_name: 'oil_painting' }).expect(200)
    const { channels } = await sharp(await download(translucent.body.result.download_id)).stats()
    const { min, max } = (await sharp(glass).stats()).channels[3] ?? {}
    expect(channels[3]).toMatchObject({ min, max })
    expect(max).toBeLessThan(200)
  })

  test('offers the result in other formats', async () => {
    const { body } = await apply(await plainImage({}), { effect_name: 'cartoon' }).expect(200)
    for (const [format, expectedFormat] of [
      ['webp', 'webp'],
      ['jpeg', 'jpeg'],
      ['avif', 'heif'],
    ]) {
      expect((await sharp(await download(body.result.download_id, `?format=${format}`)).metadata()).format).toBe(
        expectedFormat,
      )
    }
    const { headers } = await get(`download/${body.result.download_id}?format=jpeg`).expect(200)
    expect(headers['content-disposition']).toMatch(/cartoon_effect_\d{8}-\d{6}\.jpg/)
  })

  test('says when a picture is too long for another format', async () => {
    const picture = await plainImage({ width: 10, height: 16_384 })
    const { body } = await apply(picture, { effect_name: 'sepia' }).expect(200)
    const { download_id: id } = body.result
    expect((await get(`download/${id}?format=webp`).expect(422)).body).toMatchObject({
      code: 'too_long_for_format',
      detail: 'This picture is too long for this format. Download it as PNG.',
    })
    expect((await sharp(await download(id, '?format=avif')).metadata()).height).toBe(16_384)
  })

  test.each([
    ['an unknown effect', { effect_name: 'no_such_effect' }],
    ['no effect', {}],
    ['an intensity that is too low', { effect_name: 'sepia', intensity: '0.05' }],
    ['an intensity that is too high', { effect_name: 'sepia', intensity: '2.1' }],
    ['an intensity that isn’t a number', { effect_name: 'sepia', intensity: 'much' }],
    ['a recipe that isn’t JSON', { recipe: 'sepia' }],
    ['an empty recipe', { recipe: '[]' }],
    ['an effect and a recipe', { effect_name: 'sepia', recipe: '[{"effect_name":"sepia"}]' }],
  ])('is rejected with 422 for %s', async (_name, fields) => {
    const { body } = await apply(await plainImage({}), fields).expect(422)
    expect(body.detail).toEqual(expect.any(String))
  })

  test('is rejected without an image, and with an empty, invalid, too large or truncated one', async () => {
    await post('apply').field({ effect_name: 'sepia' }).expect(422)
    await apply(Buffer.alloc(0), { effect_name: 'sepia' }).expect(422)
    await apply(Buffer.from('%PDF-1.4 nothing'), { effect_name: 'sepia' }).expect(415)
    // An image, but not of a type that the studio accepts, whatever its name.
    const gif = await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
      .gif()
      .toBuffer()
    await apply(gif, { effect_name: 'sepia' }).expect(415)
    await apply(await pngWithClaimedSize(12_000, 9_000), { effect_name: 'sepia' }).expect(413)
    const picture = await noisyImage({ width: 400, height: 300 })
    await apply(picture.subarray(0, picture.length / 2), { effect_name: 'sepia' }).expect(422)
  })

  test('is rejected for a recipe or an intensity out of range, with the limit', async () => {
    const picture = await plainImage({})
    const detailOf = async (steps: object[]) =>
      (await apply(picture, { recipe: JSON.stringify(steps) }).expect(422)).body.detail
    expect(await detailOf([])).toContain('A recipe has at least one effect.')
    expect(await detailOf(Array.from({ length: 9 }, () => ({ effect_name: 'sepia' })))).toContain(
      'A recipe has at most 8 effects.',
    )
    expect(await detailOf([{ effect_name: 'sepia', intensity: 9 }])).toContain('Choose an intensity from 0.1 to 2.0.')
  })

  test('is rejected while three others of the same user are being applied', async () => {
    const { token: greedy } = await mira.createUser({ can_upload: true })
    const picture = await noisyImage({ width: 900, height: 600 })
    const requests = Array.from({ length: 5 }, () => apply(picture, { effect_name: 'oil_painting' }, greedy))
    const responses = await Promise.all(requests)
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 429, 429])
    expect(responses.find(({ status }) => status === 429)?.headers['retry-after']).toBe('5')
    await apply(await plainImage({}), { effect_name: 'sepia' }, greedy).expect(200)
  })

  test.each([
    ['would be truncated within a character', `${'a'.repeat(199)}😀.png`],
    ['contains a NUL character', 'a\u0000b.png'],
    ['contains folders and a control character', '../../etc/pass\u202ewd.png'],
  ])('accepts an image whose name %s', async (_case, name) => {
    const boundary = 'xxxxx'
    const part = (fields: string, content: Buffer | string) =>
      Buffer.concat([
        Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; ${fields}\r\n\r\n`),
        Buffer.from(content),
        Buffer.from('\r\n'),
      ])
    const body = Buffer.concat([
      part('name="effect_name"', 'sepia'),
      part(`name="file"; filename*=utf-8''${encodeURIComponent(name)}`, await plainImage({})),
      Buffer.from(`--${boundary}--\r\n`),
    ])
    await post('apply').set('content-type', `multipart/form-data; boundary=${boundary}`).send(body).expect(200)
    const { body: gallery } = await get('gallery?limit=1').expect(200)
    expect(gallery.images[0].source_filename).toMatch(/^[^\p{Cc}\u202e/]+\.png$/u)
  })

  test('with a model fails with the reason when there is none', async () => {
    const fields = { effect_name: 'ai_restyle', prompt: 'as a woodcut' }
    const { body } = await apply(await plainImage({}), fields).expect(503)
    expect(body).toMatchObject({
      code: 'no_image_edit_engine',
      detail: 'No model that edits pictures is connected. Ask an administrator.',
    })
  })
})

test('a batch applies each effect to the original image, and a failed one doesn’t affect the others', async () => {
  const picture = await noisyImage({ width: 60, height: 40 })
  const { body } = await post('batch')
    .field('intensity', '1')
    .field('effect_names', 'sepia')
    .field('effect_names', 'ai_restyle')
    .field('effect_names', 'neon_edges')
    .attach('file', picture, 'a.jpg')
    .expect(200)
  expect(batchResponseSchema.parse(body)).toEqual(body)
  expect(body.success).toBe(true)
  expect(
    body.results.map(({ effect_name: name, error }: { effect_name: string; error?: string }) => [name, error]),
  ).toEqual([
    ['sepia', undefined],
    ['ai_restyle', 'No model that edits pictures is connected. Ask an administrator.'],
    ['neon_edges', undefined],
  ])
  const alone = await apply(picture, { effect_name: 'neon_edges' }).expect(200)
  expect(await download(body.results[2].download_id)).toEqual(await download(alone.body.result.download_id))
  await post('batch').attach('file', picture, 'a.jpg').expect(422)
})

test('applies an effect that needs a model on the model server, and blends it with the original below intensity 1', async () => {
  const openAi = await startOpenAiServer()
  const environment = { OPENAI_BASE_URL: openAi.baseUrl, IMAGE_MODEL: 'test-painter' }
  const miraWithModel = await startTestApp({ environment })
  try {
    const { token: ownToken } = await miraWithModel.createUser({ can_upload: true })
    const send = (fields: Record<string, string>) =>
      plainImage({ colour: '#ffffff', format: 'png' }).then((picture) =>
        miraWithModel.request
          .post(`${effects}/apply`)
          .auth(ownToken, { type: 'bearer' })
          .field({ effect_name: 'ai_restyle', ...fields })
          .attach('file', picture, 'a.png'),
      )
    expect((await send({})).body).toMatchObject({ code: 'no_prompt' })
    const meanOf = async (fields: Record<string, string>) => {
      const { body } = await send(fields)
      expect(body).toMatchObject({ success: true, result: { effect_display_name: 'AI Restyle' } })
      const { body: png } = await miraWithModel.request.get(body.result.url).buffer(true).parse(readBinary).expect(200)
      return (await sharp(png as Buffer).stats()).channels[0]?.mean
    }
    expect(await meanOf({ prompt: 'as a negative' })).toBe(0)
    expect(await meanOf({ prompt: 'as a negative', intensity: '0.5' })).toBeCloseTo(128, -1)
    openAi.imageEdits = { failure: { status: 400, message: 'Your request was rejected by the safety system.' } }
    const rejection = await send({ prompt: 'something else' })
    expect(rejection.status).toBeGreaterThanOrEqual(400)
    expect(rejection.body.detail).toEqual(expect.any(String))
  } finally {
    await miraWithModel.close()
    await openAi.close()
  }
})

test('previews show every effect that needs no model', async () => {
  const { body } = await post('previews')
    .attach('file', await noisyImage({ width: 600, height: 400 }), 'a.jpg')
    .expect(200)
  expect(Object.keys(body.previews).sort()).toEqual(effectNames.filter((name) => !name.startsWith('ai_')).sort())
  const preview = Buffer.from(body.previews.oil_painting.split(',')[1], 'base64')
  expect(await sharp(preview).metadata()).toMatchObject({ format: 'webp', width: 320, height: 213 })
})

test('lists results in the gallery page by page, newest first, and deletes a result with its file', async () => {
  const { token: ownToken, user } = await mira.createUser({ can_upload: true })
  const picture = await noisyImage({ width: 50, height: 40 })
  const names = ['sepia', 'blur', 'emboss']
  for (const name of names) await apply(picture, { effect_name: name, intensity: '0.5' }, ownToken).expect(200)
  const first = await get('gallery?limit=2', ownToken).expect(200)
  expect(effectsGallerySchema.parse(first.body).images).toHaveLength(2)
  const rest = await get(`gallery?limit=2&cursor=${first.body.next_cursor}`, ownToken).expect(200)
  const galleryImages = [...first.body.images, ...rest.body.images]
  expect(galleryImages.map(({ effect_name: name }: { effect_name: string }) => name)).toEqual([...names].reverse())
  expect(galleryImages[0]).toMatchObject({
    intensity: 0.5,
    recipe: [{ effect_name: 'emboss', intensity: 0.5 }],
    source_filename: 'holiday.jpg',
    source_media_id: null,
    processed_size: [50, 40],
  })
  expect(rest.body.next_cursor).toBeNull()
  await mira.request.get(galleryImages[0].thumbnail).expect(200)

  const deletedId = galleryImages[0].download_id
  const path = `${effects}/gallery/${deletedId}`
  await mira.request.delete(path).auth(ownToken, { type: 'bearer' }).expect(204)
  await mira.request.delete(path).auth(ownToken, { type: 'bearer' }).expect(404)
  await get(`download/${deletedId}`, ownToken).expect(404)
  await expect
    .poll(async () => (await mira.context.files.usage(user.id)).fileCount, { timeout: 10_000 })
    .toBe(names.length - 1)
})

test('a kept result becomes an item, which stays when the result is deleted', async () => {
  const { body } = await apply(await noisyImage({ width: 90, height: 60 }), { effect_name: 'ink' }).expect(200)
  const path = `${effects}/gallery/${body.result.download_id}`
  const response = await mira.request.post(`${path}/keep`).auth(token, { type: 'bearer' }).expect(201)
  expect(response.body).toMatchObject({ media_type: 'image', metadata: { content_type: 'image/png', width: 90 } })
  await mira.request.post(`${path}/keep`).auth(token, { type: 'bearer' }).expect(200)
  await mira.request.delete(path).auth(token, { type: 'bearer' }).expect(204)
  await mira.request.get(response.body.url).expect(200)
  await mira.request.delete(`/api/media/${response.body.id}`).auth(token, { type: 'bearer' }).expect(204)
})

test('applies an effect to an item, and returns 404 for another user’s item', async () => {
  const { body: item } = await mira.request
    .post('/api/media/upload')
    .auth(token, { type: 'bearer' })
    .field({ wait: '0' })
    .attach('file', await noisyImage({ width: 80, height: 60 }), 'kept.jpg')
  const { body } = await post('apply').field({ media_id: item.id, effect_name: 'vivid' }).expect(200)
  expect(body.result.processed_size).toEqual([80, 60])
  const { body: gallery } = await get('gallery?limit=1').expect(200)
  expect(gallery.images[0]).toMatchObject({ source_filename: 'kept.jpg', source_media_id: item.id })
  const { token: other } = await mira.createUser({ can_upload: true })
  await post('apply', other).field({ media_id: item.id, effect_name: 'vivid' }).expect(404)
})
