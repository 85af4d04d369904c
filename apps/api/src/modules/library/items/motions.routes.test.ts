import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LibraryJson, MediaItemJson } from '@mira/shared'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { phonePicture } from '../../../../test/phone-pictures.ts'
import { plainImage } from '../../../../test/pictures.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'
import { createVideo, videoFormats } from '../../../../test/videos.ts'
import { MOTION_VIDEO_SUFFIX } from '../../../platform/database/motion-name.ts'
import { createMotionsStore } from '../pipeline/steps/motions.store.ts'

// Videos are generated and re-encoded.
vi.setConfig({ testTimeout: 120_000 })

let folder: string
let mira: TestApp
let ana: TestAccount
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mira-motions-'))
  mira = await startTestApp({ isStarted: true })
})
afterAll(async () => {
  await mira?.close()
  await rm(folder, { recursive: true, force: true })
})

const bearer = { type: 'bearer' } as const
const get = (path: string) => mira.request.get(path).auth(ana.token, bearer)

async function upload(content: Buffer, name: string): Promise<MediaItemJson> {
  const fields = { wait: '20', extract_text: 'false', generate_caption: 'false' }
  const uploadRequest = mira.request.post('/api/media/upload').auth(ana.token, bearer)
  for (const [field, value] of Object.entries(fields)) uploadRequest.field(field, value)
  return (
    await uploadRequest.attach('file', content, name).expect((response) => expect(response.status).toBeLessThan(300))
  ).body
}

const library = async (): Promise<LibraryJson> => (await get('/api/media/library').expect(200)).body

/** Videos of different durations differ in content. */
async function makeVideo(format: 'mov' | 'hevc', seconds: number): Promise<Buffer> {
  const { muxer, extension, video, audio } = videoFormats[format]
  const filename = await createVideo({
    filename: join(folder, `${format}-${seconds}.${extension}`),
    muxer,
    video: {
      ...{ codec: video, width: 64, height: 48, framesPerSecond: 10 },
      scenes: [{ seconds, colour: '#cc2211' }],
    },
    audio: { codec: audio, seconds, bursts: [] },
  })
  return readFile(filename)
}

const photo = (colour: string) => plainImage({ width: 64, height: 48, colour })

/** Photo with a camera in its EXIF data. */
const cameraPhoto = async (colour: string, format: 'jpeg' | 'png' = 'jpeg') =>
  sharp(await photo(colour))
    .withExif({ IFD0: { Make: 'Apple', Model: 'iPhone 15' } })
    .toFormat(format)
    .toBuffer()

/** Photo with an iPhone's maker note that contains only a content identifier. */
async function livePhoto(colour: string, identifier: string): Promise<Buffer> {
  const text = Buffer.from(`${identifier}\0`, 'latin1')
  const note = Buffer.alloc(32 + text.length)
  note.write('Apple iOS\0\0\x01MM', 0, 'latin1')
  note.writeUInt16BE(1, 14)
  note.writeUInt16BE(0x0011, 16)
  note.writeUInt16BE(2, 18)
  note.writeUInt32BE(text.length, 20)
  note.writeUInt32BE(32, 24)
  text.copy(note, 32)
  const block = Buffer.alloc(44)
  block.write('MM\0*\0\0\0\x08', 0, 'latin1')
  const entry = (index: number, tag: number, type: number, count: number, value: number) => {
    block.writeUInt16BE(1, index)
    block.writeUInt16BE(tag, index + 2)
    block.writeUInt16BE(type, index + 4)
    block.writeUInt32BE(count, index + 6)
    block.writeUInt32BE(value, index + 10)
  }
  entry(8, 0x8769, 4, 1, 26)
  entry(26, 0x927c, 7, note.length, 44)
  const exif = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), block, note])
  const head = Buffer.alloc(4)
  head.writeUInt16BE(0xffe1, 0)
  head.writeUInt16BE(exif.length + 2, 2)
  const plain = await photo(colour)
  return Buffer.concat([plain.subarray(0, 2), head, exif, plain.subarray(2)])
}

/** Adds a metadata key as QuickTime does: in a `meta` box at the end of `moov`, the last box of the video. */
function withKey(video: Buffer, key: string, value: string): Buffer {
  const box = (name: string, ...content: Buffer[]) => {
    const body = Buffer.concat(content)
    const head = Buffer.alloc(8)
    head.writeUInt32BE(body.length + 8, 0)
    head.write(name, 4, 'latin1')
    return Buffer.concat([head, body])
  }
  const number = (...values: number[]) => {
    const bytes = Buffer.alloc(values.length * 4)
    for (const [index, integer] of values.entries()) bytes.writeUInt32BE(integer, index * 4)
    return bytes
  }
  const handler = box('hdlr', number(0, 0), Buffer.from('mdta'), number(0, 0, 0, 0))
  const keys = box('keys', number(0, 1), box('mdta', Buffer.from(key)))
  const item = box('data', number(1, 0), Buffer.from(value))
  const entry = Buffer.concat([number(item.length + 8, 1), item])
  const meta = box('meta', handler, keys, box('ilst', entry))
  const moov = video.lastIndexOf('moov') - 4
  const longer = Buffer.concat([video, meta])
  longer.writeUInt32BE(video.readUInt32BE(moov) + meta.length, moov)
  return longer
}

test.each([
  ['image first', true],
  ['video first', false],
])('joins an image and a video of the same name into one live photo: %s', async (_name, isPictureFirst) => {
  ana = await mira.createUser({ can_upload: true })
  const picture = isPictureFirst ? phonePicture('phone.heic') : await cameraPhoto('#cc2211')
  const pictureName = isPictureFirst ? 'IMG_0042.HEIC' : 'IMG_0042.JPG'
  const motion = await makeVideo(isPictureFirst ? 'hevc' : 'mov', 2)
  const files: [Buffer, string][] = [
    [picture, pictureName],
    [motion, 'img_0042.MOV'],
  ]
  if (!isPictureFirst) files.reverse()
  const uploads = []
  for (const [content, name] of files) uploads.push(await upload(content, name))
  const [item, ...others] = (await library()).media_items
  expect(others).toEqual([])
  expect(item).toMatchObject({
    media_type: 'image',
    metadata: { original_filename: pictureName },
    motion: { url: expect.any(String), film_url: expect.any(String) },
  })
  // The former id of the video leads to the image.
  for (const { id } of uploads) {
    const { body } = await get(`/api/media/${id}`).expect(200)
    expect(body).toMatchObject({ id: item?.id, moments_by_engine: { 'built-in': expect.any(Number) } })
  }

  const played = await get(`/api/media/${item?.id}/motion`).buffer(true).expect(200)
  expect(played.headers['content-type']).toBe(isPictureFirst ? 'video/mp4' : 'video/quicktime')
  const original = await get(`/api/media/${item?.id}/film`).buffer(true).expect(200)
  expect(original.body.equals(motion)).toBe(true)

  // Uploading the video again returns the same item.
  expect((await upload(motion, 'another name.mov')).id).toBe(item?.id)
  expect(await library()).toMatchObject({ total: 1 })

  await mira.request.delete(`/api/media/${item?.id}`).auth(ana.token, bearer).expect(204)
  const { rows } = await mira.context.database.pool.query('SELECT FROM media_copies c WHERE c.media_item_id = $1', [
    item?.id,
  ])
  expect(rows).toEqual([])
  expect((await upload(motion, 'alone.mov')).media_type).toBe('video')
})

test('doesn’t join a video that is longer or has another name', async () => {
  ana = await mira.createUser({ can_upload: true })
  await upload(await cameraPhoto('#113355'), 'IMG_7.jpg')
  await upload(await makeVideo('mov', 8), 'IMG_7.MOV')
  await upload(await makeVideo('mov', 1), 'IMG_77.MOV')
  expect(await library()).toMatchObject({ total: 3 })
})

test('doesn’t join an image and a video of the same name that no camera took together', async () => {
  ana = await mira.createUser({ can_upload: true })
  await upload(await cameraPhoto('#104050', 'png'), 'render.png')
  await upload(await makeVideo('mov', 1), 'render.MOV')
  await upload(await photo('#104060'), 'drawing.jpg')
  await upload(await makeVideo('mov', 2), 'drawing.MOV')
  const { media_items: items, total } = await library()
  expect(total).toBe(4)
  expect(items.filter(({ motion }) => motion !== undefined)).toEqual([])
})

test('completes an image without motion when the video of its name can’t be re-encoded', async () => {
  ana = await mira.createUser({ can_upload: true })
  const broken = await makeVideo('hevc', 4)
  const mediaData = broken.indexOf('mdat') + 4
  broken.fill(0, mediaData, mediaData + broken.readUInt32BE(mediaData - 8) - 8)
  const alone = await upload(broken, 'IMG_9.MOV')
  const { rows } = await mira.context.database.pool.query(
    'SELECT FROM media_items WHERE id = $1 AND duration_seconds > 0 AND width > 0',
    [alone.id],
  )
  expect(rows).toHaveLength(1)
  const picture = await upload(await cameraPhoto('#205060'), 'IMG_9.JPG')
  expect(picture).toMatchObject({ media_type: 'image', processing_status: 'completed', error: null })
  expect(picture.motion).toBeUndefined()
  // FFmpeg already fails when it looks for a poster frame, node-av only when it encodes.
  expect(alone.processing_steps).toContainEqual(
    expect.objectContaining({ status: 'failed', error: 'This file is damaged: it can’t be decoded.' }),
  )
  expect(await library()).toMatchObject({ total: 2 })
})

test('doesn’t join a video that was corrected meanwhile, or whose findings can’t be stored', async () => {
  ana = await mira.createUser({ can_upload: true })
  const { pool } = mira.context.database
  const picture = await upload(await cameraPhoto('#305060'), 'one.jpg')
  const videoItem = await upload(await makeVideo('mov', 5), 'another.MOV')
  for (const [id, tags] of [
    [picture.id, ['sea', 'beach']],
    [videoItem.id, ['waves', 'beach', 'august']],
  ] as const) {
    await pool.query('UPDATE media_items SET tags = $2 WHERE id = $1', [id, tags])
  }
  const { rows } = await pool.query<{ path: string }>('SELECT path FROM media_items WHERE id = $1', [videoItem.id])
  const store = createMotionsStore({ pool })
  const pair = { pictureId: picture.id, videoId: videoItem.id, videoPath: rows[0]?.path as string }
  const setLocked = (lockedAt: string | null) =>
    pool.query('UPDATE moments SET locked_at = $2 WHERE media_item_id = $1', [videoItem.id, lockedAt])

  const storedFindings: string[] = []
  const storeFinding = async () => void storedFindings.push('stored')
  await setLocked('2026-01-01')
  expect(await store.join(pair, [storeFinding])).toBe(false)
  await setLocked(null)
  const full = new Error('the disk is full')
  await expect(store.join(pair, [() => Promise.reject(full)])).rejects.toBe(full)
  expect(storedFindings).toEqual([])
  expect(await library()).toMatchObject({ total: 2 })

  expect(await store.join(pair, [storeFinding])).toBe(true)
  expect(await store.join(pair, [storeFinding])).toBe(false)
  expect(storedFindings).toEqual(['stored'])
  expect(await library()).toMatchObject({
    media_items: [{ id: picture.id, tags: ['sea', 'beach', 'waves', 'august'] }],
    total: 1,
  })
})

test('a video uploaded again while it’s being joined resolves to its image', async () => {
  ana = await mira.createUser({ can_upload: true })
  const { pool } = mira.context.database
  const picture = await upload(await cameraPhoto('#405060'), 'one.jpg')
  const content = await makeVideo('mov', 6)
  const videoItem = await upload(content, 'another.MOV')
  const { rows } = await pool.query<{ path: string }>('SELECT path FROM media_items WHERE id = $1', [videoItem.id])
  let again: Promise<MediaItemJson> | undefined
  const connect = async () => {
    const client = await pool.connect()
    const query = async (statement: string) => {
      if (statement === 'COMMIT') {
        again = upload(content, 'again.MOV')
        await sleep(1000)
      }
      return client.query(statement)
    }
    return { query, release: () => client.release() }
  }
  const store = createMotionsStore({ pool: { connect } as unknown as typeof pool })
  const pair = { pictureId: picture.id, videoId: videoItem.id, videoPath: rows[0]?.path as string }
  expect(await store.join(pair, [])).toBe(true)
  expect((await again)?.id).toBe(picture.id)
  expect(await library()).toMatchObject({ total: 1 })
})

test('joins an image and a video by their iPhone content identifier, whatever their names', async () => {
  ana = await mira.createUser({ can_upload: true })
  const imageItem = await upload(await livePhoto('#225577', '7DC2E5F1-11C2-4B3A-9A43-2C3C0E8B0001'), 'beach.jpg')
  const { rows } = await mira.context.database.pool.query<{ identifier: string }>(
    `SELECT details ->> 'content_identifier' AS identifier FROM media_items WHERE id = $1`,
    [imageItem.id],
  )
  expect(rows).toEqual([{ identifier: '7DC2E5F1-11C2-4B3A-9A43-2C3C0E8B0001' }])
  const taggedVideo = withKey(
    await makeVideo('mov', 3),
    'com.apple.quicktime.content.identifier',
    '7DC2E5F1-11C2-4B3A-9A43-2C3C0E8B0001',
  )
  await upload(taggedVideo, 'edited export.mov')
  expect((await library()).media_items).toMatchObject([{ id: imageItem.id, motion: { url: expect.any(String) } }])
})

test('joins an image inspected after its video by their import source, whatever their names', async () => {
  ana = await mira.createUser({ can_upload: true })
  const { prisma } = mira.context.database
  const userId = ana.user.id
  const { id: videoId } = await upload(await makeVideo('mov', 1), 'another.MOV')
  const { id: pictureId } = await upload(await cameraPhoto('#505060'), 'one.jpg')
  const { id: importId } = await prisma.import.create({ data: { userId, source: 'immich', name: 'a server' } })
  const thing = { userId, importId, source: 'immich' }
  await prisma.importedObject.createMany({
    data: [
      { ...thing, sourceId: 'boat', mediaItemId: pictureId },
      { ...thing, sourceId: `boat${MOTION_VIDEO_SUFFIX}`, mediaItemId: videoId },
    ],
  })
  const reprocessRequest = mira.request.post(`/api/media/${pictureId}/reprocess`).auth(ana.token, bearer)
  await reprocessRequest.send({ steps: ['inspect'] }).expect(202)
  await vi.waitFor(
    async () =>
      expect(await library()).toMatchObject({
        media_items: [{ id: pictureId, motion: { url: expect.any(String) } }],
        total: 1,
      }),
    { timeout: 60_000, interval: 100 },
  )
})

test('plays the video that a phone appended to a photo', async () => {
  ana = await mira.createUser({ can_upload: true })
  const words = '<x:xmpmeta><rdf:Description GCamera:MotionPhoto="1"/></x:xmpmeta>'
  const xmpPacket = Buffer.from(`http://ns.adobe.com/xap/1.0/\0${words}`, 'latin1')
  const head = Buffer.alloc(4)
  head.writeUInt16BE(0xffe1, 0)
  head.writeUInt16BE(xmpPacket.length + 2, 2)
  const plain = await photo('#336699')
  const { muxer, video } = videoFormats.mp4
  const filename = await createVideo({
    filename: join(folder, 'inside.mp4'),
    muxer,
    video: { codec: video, width: 64, height: 48, framesPerSecond: 10, scenes: [{ seconds: 2, colour: '#336699' }] },
  })
  const appended = await readFile(filename)
  const item = await upload(
    Buffer.concat([plain.subarray(0, 2), head, xmpPacket, plain.subarray(2), appended]),
    'PXL_1.MP.jpg',
  )
  expect(item).toMatchObject({ media_type: 'image', motion: { film_url: null } })
  const played = await get(`/api/media/${item.id}/motion`).buffer(true).expect(200)
  expect(played.body.equals(appended)).toBe(true)

  // A photo with a truncated video is shown with the reason.
  const broken = Buffer.concat([plain.subarray(0, 2), head, xmpPacket, plain.subarray(2), appended.subarray(0, 60)])
  const truncated = await upload(broken, 'PXL_2.MP.jpg')
  expect(truncated.motion).toBeUndefined()
  expect(truncated.processing_steps.find(({ name }) => name === 'inspect')).toMatchObject({
    status: 'completed',
    error: 'The video in this picture can’t be played. The picture is shown without it.',
  })
})

test('a HEIF image sequence is an image that plays', async () => {
  ana = await mira.createUser({ can_upload: true })
  const item = await upload(phonePicture('sequence.heic'), 'burst.heics')
  expect(item).toMatchObject({ media_type: 'image', motion: { film_url: null } })
})
