import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LibraryJson, MediaItemJson } from '@mira/shared'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { filmFormats, makeFilm } from '../../../../test/films.ts'
import { phonePicture } from '../../../../test/phone-pictures.ts'
import { plainPicture } from '../../../../test/pictures.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'
import { FILM_OF_PICTURE } from '../../../platform/database/motion-name.ts'
import { createMotionsStore } from '../pipeline/steps/motions.store.ts'

// films are made and encoded again
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
  const posted = mira.request.post('/api/media/upload').auth(ana.token, bearer)
  for (const [field, value] of Object.entries(fields)) posted.field(field, value)
  return (await posted.attach('file', content, name).expect((answer) => expect(answer.status).toBeLessThan(300))).body
}

const library = async (): Promise<LibraryJson> => (await get('/api/media/library').expect(200)).body

/** Films of different seconds, so that no two have the same content. */
async function film(format: 'mov' | 'hevc', seconds: number): Promise<Buffer> {
  const { muxer, extension, video, audio } = filmFormats[format]
  const filename = await makeFilm({
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

const photo = (colour: string) => plainPicture({ width: 64, height: 48, colour })

/** A picture that names the camera that took it. */
const shotPhoto = async (colour: string, format: 'jpeg' | 'png' = 'jpeg') =>
  sharp(await photo(colour))
    .withExif({ IFD0: { Make: 'Apple', Model: 'iPhone 15' } })
    .toFormat(format)
    .toBuffer()

/** Picture with an iPhone's maker note that contains only a content identifier. */
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

/** A film with a word in its list of keys, as QuickTime writes it: in a box at the end of the last one, which is moov. */
function withKey(film: Buffer, key: string, value: string): Buffer {
  const box = (name: string, ...content: Buffer[]) => {
    const body = Buffer.concat(content)
    const head = Buffer.alloc(8)
    head.writeUInt32BE(body.length + 8, 0)
    head.write(name, 4, 'latin1')
    return Buffer.concat([head, body])
  }
  const number = (...values: number[]) => {
    const bytes = Buffer.alloc(values.length * 4)
    for (const [at, one] of values.entries()) bytes.writeUInt32BE(one, at * 4)
    return bytes
  }
  const handler = box('hdlr', number(0, 0), Buffer.from('mdta'), number(0, 0, 0, 0))
  const keys = box('keys', number(0, 1), box('mdta', Buffer.from(key)))
  const item = box('data', number(1, 0), Buffer.from(value))
  const entry = Buffer.concat([number(item.length + 8, 1), item])
  const meta = box('meta', handler, keys, box('ilst', entry))
  const moov = film.lastIndexOf('moov') - 4
  const longer = Buffer.concat([film, meta])
  longer.writeUInt32BE(film.readUInt32BE(moov) + meta.length, moov)
  return longer
}

test.each([
  ['the picture first', true],
  ['the film first', false],
])('a picture and the film of its name become one item that moves: %s', async (_, isPictureFirst) => {
  ana = await mira.createUser({ can_upload: true })
  const picture = isPictureFirst ? phonePicture('phone.heic') : await shotPhoto('#cc2211')
  const pictureName = isPictureFirst ? 'IMG_0042.HEIC' : 'IMG_0042.JPG'
  const motion = await film(isPictureFirst ? 'hevc' : 'mov', 2)
  const files: [Buffer, string][] = [
    [picture, pictureName],
    [motion, 'img_0042.MOV'],
  ]
  if (!isPictureFirst) files.reverse()
  const answers = []
  for (const [content, name] of files) answers.push(await upload(content, name))
  const [item, ...others] = (await library()).media_items
  expect(others).toEqual([])
  expect(item).toMatchObject({
    media_type: 'image',
    metadata: { original_filename: pictureName },
    motion: { url: expect.any(String), film_url: expect.any(String) },
  })
  // whoever holds the address that the film had is led to the picture
  for (const { id } of answers) {
    const { body } = await get(`/api/media/${id}`).expect(200)
    expect(body).toMatchObject({ id: item?.id, moments_by_engine: { 'built-in': expect.any(Number) } })
  }

  const played = await get(`/api/media/${item?.id}/motion`).buffer(true).expect(200)
  expect(played.headers['content-type']).toBe(isPictureFirst ? 'video/mp4' : 'video/quicktime')
  const original = await get(`/api/media/${item?.id}/film`).buffer(true).expect(200)
  expect(original.body.equals(motion)).toBe(true)

  // the film again is the item that is there, also before a byte travels
  expect((await upload(motion, 'another name.mov')).id).toBe(item?.id)
  expect(await library()).toMatchObject({ total: 1 })

  await mira.request.delete(`/api/media/${item?.id}`).auth(ana.token, bearer).expect(204)
  const { rows } = await mira.context.database.pool.query('SELECT FROM media_copies c WHERE c.media_item_id = $1', [
    item?.id,
  ])
  expect(rows).toEqual([])
  expect((await upload(motion, 'alone.mov')).media_type).toBe('video')
})

test('films that are longer, or called otherwise, stay what they are', async () => {
  ana = await mira.createUser({ can_upload: true })
  await upload(await shotPhoto('#113355'), 'IMG_7.jpg')
  await upload(await film('mov', 8), 'IMG_7.MOV')
  await upload(await film('mov', 1), 'IMG_77.MOV')
  expect(await library()).toMatchObject({ total: 3 })
})

test('pictures and films of one name that no camera took together stay what they are', async () => {
  ana = await mira.createUser({ can_upload: true })
  await upload(await shotPhoto('#104050', 'png'), 'render.png')
  await upload(await film('mov', 1), 'render.MOV')
  await upload(await photo('#104060'), 'drawing.jpg')
  await upload(await film('mov', 2), 'drawing.MOV')
  const { media_items: items, total } = await library()
  expect(total).toBe(4)
  expect(items.filter(({ motion }) => motion !== undefined)).toEqual([])
})

test('a picture is whole whose film cannot be encoded again', async () => {
  ana = await mira.createUser({ can_upload: true })
  const broken = await film('hevc', 4)
  const pictures = broken.indexOf('mdat') + 4
  broken.fill(0, pictures, pictures + broken.readUInt32BE(pictures - 8) - 8)
  const alone = await upload(broken, 'IMG_9.MOV')
  const { rows } = await mira.context.database.pool.query(
    'SELECT FROM media_items WHERE id = $1 AND duration_seconds > 0 AND width > 0',
    [alone.id],
  )
  expect(rows).toHaveLength(1)
  const picture = await upload(await shotPhoto('#205060'), 'IMG_9.JPG')
  expect(picture).toMatchObject({ media_type: 'image', processing_status: 'completed', error: null })
  expect(picture.motion).toBeUndefined()
  // ffmpeg already notices when it looks for a poster, node-av when it encodes
  expect(alone.processing_steps).toContainEqual(
    expect.objectContaining({ status: 'failed', error: 'This file is damaged: it can’t be decoded.' }),
  )
  expect(await library()).toMatchObject({ total: 2 })
})

test('a film that somebody begins to use meanwhile stays one, and so it does when its copy is not stored', async () => {
  ana = await mira.createUser({ can_upload: true })
  const { pool } = mira.context.database
  const picture = await upload(await shotPhoto('#305060'), 'one.jpg')
  const moving = await upload(await film('mov', 5), 'another.MOV')
  for (const [id, tags] of [
    [picture.id, ['sea', 'beach']],
    [moving.id, ['waves', 'beach', 'august']],
  ] as const) {
    await pool.query('UPDATE media_items SET tags = $2 WHERE id = $1', [id, tags])
  }
  const { rows } = await pool.query<{ path: string }>('SELECT path FROM media_items WHERE id = $1', [moving.id])
  const store = createMotionsStore({ pool })
  const pair = { pictureId: picture.id, filmId: moving.id, filmPath: rows[0]?.path as string }
  const correct = (at: string | null) =>
    pool.query('UPDATE moments SET locked_at = $2 WHERE media_item_id = $1', [moving.id, at])

  const findings: string[] = []
  const find = async () => void findings.push('stored')
  await correct('2026-01-01')
  expect(await store.join(pair, [find])).toBe(false)
  await correct(null)
  const full = new Error('the disk is full')
  await expect(store.join(pair, [() => Promise.reject(full)])).rejects.toBe(full)
  expect(findings).toEqual([])
  expect(await library()).toMatchObject({ total: 2 })

  expect(await store.join(pair, [find])).toBe(true)
  expect(await store.join(pair, [find])).toBe(false)
  expect(findings).toEqual(['stored'])
  expect(await library()).toMatchObject({
    media_items: [{ id: picture.id, tags: ['sea', 'beach', 'waves', 'august'] }],
    total: 1,
  })
})

test('a film that comes again at the moment it becomes one with its picture is that picture', async () => {
  ana = await mira.createUser({ can_upload: true })
  const { pool } = mira.context.database
  const picture = await upload(await shotPhoto('#405060'), 'one.jpg')
  const content = await film('mov', 6)
  const moving = await upload(content, 'another.MOV')
  const { rows } = await pool.query<{ path: string }>('SELECT path FROM media_items WHERE id = $1', [moving.id])
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
  const pair = { pictureId: picture.id, filmId: moving.id, filmPath: rows[0]?.path as string }
  expect(await store.join(pair, [])).toBe(true)
  expect((await again)?.id).toBe(picture.id)
  expect(await library()).toMatchObject({ total: 1 })
})

test('what an iPhone calls a picture and its film alike says more than their names', async () => {
  ana = await mira.createUser({ can_upload: true })
  const named = await upload(await livePhoto('#225577', '7DC2E5F1-11C2-4B3A-9A43-2C3C0E8B0001'), 'beach.jpg')
  const { rows } = await mira.context.database.pool.query<{ identifier: string }>(
    `SELECT details ->> 'content_identifier' AS identifier FROM media_items WHERE id = $1`,
    [named.id],
  )
  expect(rows).toEqual([{ identifier: '7DC2E5F1-11C2-4B3A-9A43-2C3C0E8B0001' }])
  const tagged = withKey(
    await film('mov', 3),
    'com.apple.quicktime.content.identifier',
    '7DC2E5F1-11C2-4B3A-9A43-2C3C0E8B0001',
  )
  await upload(tagged, 'edited export.mov')
  expect((await library()).media_items).toMatchObject([{ id: named.id, motion: { url: expect.any(String) } }])
})

test('a picture that is looked at after the film finds it by what both were brought from, however they are called', async () => {
  ana = await mira.createUser({ can_upload: true })
  const { prisma } = mira.context.database
  const userId = ana.user.id
  const { id: filmId } = await upload(await film('mov', 1), 'another.MOV')
  const { id: pictureId } = await upload(await shotPhoto('#505060'), 'one.jpg')
  const { id: importId } = await prisma.import.create({ data: { userId, source: 'immich', name: 'a server' } })
  const thing = { userId, importId, source: 'immich' }
  await prisma.importedThing.createMany({
    data: [
      { ...thing, sourceId: 'boat', mediaItemId: pictureId },
      { ...thing, sourceId: `boat${FILM_OF_PICTURE}`, mediaItemId: filmId },
    ],
  })
  const again = mira.request.post(`/api/media/${pictureId}/reprocess`).auth(ana.token, bearer)
  await again.send({ steps: ['inspect'] }).expect(202)
  await vi.waitFor(
    async () =>
      expect(await library()).toMatchObject({
        media_items: [{ id: pictureId, motion: { url: expect.any(String) } }],
        total: 1,
      }),
    { timeout: 60_000, interval: 100 },
  )
})

test('the film that a phone put behind the pixels of a picture is played', async () => {
  ana = await mira.createUser({ can_upload: true })
  const words = '<x:xmpmeta><rdf:Description GCamera:MotionPhoto="1"/></x:xmpmeta>'
  const xmpPacket = Buffer.from(`http://ns.adobe.com/xap/1.0/\0${words}`, 'latin1')
  const head = Buffer.alloc(4)
  head.writeUInt16BE(0xffe1, 0)
  head.writeUInt16BE(xmpPacket.length + 2, 2)
  const plain = await photo('#336699')
  const { muxer, video } = filmFormats.mp4
  const filename = await makeFilm({
    filename: join(folder, 'inside.mp4'),
    muxer,
    video: { codec: video, width: 64, height: 48, framesPerSecond: 10, scenes: [{ seconds: 2, colour: '#336699' }] },
  })
  const inside = await readFile(filename)
  const item = await upload(
    Buffer.concat([plain.subarray(0, 2), head, xmpPacket, plain.subarray(2), inside]),
    'PXL_1.MP.jpg',
  )
  expect(item).toMatchObject({ media_type: 'image', motion: { film_url: null } })
  const played = await get(`/api/media/${item.id}/motion`).buffer(true).expect(200)
  expect(played.body.equals(inside)).toBe(true)

  // one whose film is cut off is shown, and says so
  const broken = Buffer.concat([plain.subarray(0, 2), head, xmpPacket, plain.subarray(2), inside.subarray(0, 60)])
  const cut = await upload(broken, 'PXL_2.MP.jpg')
  expect(cut.motion).toBeUndefined()
  expect(cut.processing_steps.find(({ name }) => name === 'inspect')).toMatchObject({
    status: 'completed',
    error: 'The video in this picture can’t be played. The picture is shown without it.',
  })
})

test('a sequence of HEIF pictures is shown by its first one, and plays', async () => {
  ana = await mira.createUser({ can_upload: true })
  const item = await upload(phonePicture('sequence.heic'), 'burst.heics')
  expect(item).toMatchObject({ media_type: 'image', motion: { film_url: null } })
})
