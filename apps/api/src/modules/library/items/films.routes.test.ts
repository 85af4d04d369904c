import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MediaDetailJson, MediaItemJson } from '@mira/shared'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { filmFormats, makeFilm, makeRecording, makeThreeScenes, tagMp3, threeBursts } from '../../../../test/films.ts'
import { type OpenAiServer, startOpenAiServer } from '../../../../test/openai-server.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'
import { testSandboxing } from '../../../../test/test-sandboxing.ts'
import { writtenPicture } from '../../../../test/written-pictures.ts'
import { createAv } from '../../../parsers/video/create-av.ts'

// decoding, reading and encoding take their time on a busy machine
vi.setConfig({ testTimeout: 120_000 })

let folder: string
let model: OpenAiServer
let mira: TestApp
let ana: TestAccount
/** One without any model. */
let plain: TestApp
let ben: TestAccount
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mira-films-'))
  model = await startOpenAiServer()
  mira = await startTestApp({
    isStarted: true,
    environment: { OPENAI_BASE_URL: model.baseUrl, VISION_MODEL: 'test-model', TRANSCRIPTION_MODEL: 'test-whisper' },
  })
  ana = await mira.createUser({ can_upload: true })
  plain = await startTestApp({ isStarted: true })
  ben = await plain.createUser({ can_upload: true })
})
afterAll(async () => {
  await mira?.close()
  await plain?.close()
  await model?.close()
  await rm(folder, { recursive: true, force: true })
})

async function processed(app: TestApp, account: TestAccount, filename: string): Promise<MediaDetailJson> {
  const bearer = { type: 'bearer' } as const
  const request = app.request.post('/api/media/upload').auth(account.token, bearer).attach('file', filename)
  const { body } = await request.field('wait', '0').expect(202)
  const detail = async (): Promise<MediaDetailJson> =>
    (await app.request.get(`/api/media/${body.id}`).auth(account.token, bearer).expect(200)).body
  await expect
    .poll(async () => (await detail()).processing_status, { timeout: 100_000, interval: 200 })
    .toMatch(/completed|failed/)
  return detail()
}

const stepsOf = ({ processing_steps: steps }: MediaItemJson) =>
  Object.fromEntries(steps.map(({ name, status, error }) => [name, error === null ? status : `${status}: ${error}`]))

test('a film is parted into frames, read, described and written down, each with its time', async () => {
  const text = await writtenPicture(['Harbour festival', 'Saturday at noon'], { fontSize: 60 })
  const { filename } = await makeThreeScenes(folder, 'mp4', { text, width: 1280, height: 720 })
  const film = await processed(mira, ana, filename)
  expect(stepsOf(film)).toMatchObject({
    inspect: 'completed',
    frames: 'completed',
    read: 'completed',
    caption: 'completed',
    transcribe: 'completed',
    playback: 'skipped: Browsers can play this file as it is.',
  })
  expect(film).toMatchObject({
    media_type: 'video',
    processing_status: 'completed',
    frames_count: 3,
    metadata: { width: 1280, height: 720, details: { container: 'mp4', video_codec: 'h264', audio_codec: 'aac' } },
    engines: { read: { engine: 'built-in' }, caption: { engine: 'remote' }, transcribe: { engine: 'remote' } },
    extracted_text: expect.stringContaining('Harbour festival'),
  })
  expect(film.duration).toBeCloseTo(6, 1)
  expect(film.caption).toMatch(/mostly/)
  const frames = film.frames.map(({ frame_number: number, timestamp_seconds: at, extracted_text: read }) => ({
    ...{ number, at: Math.round(at) },
    isWritten: read?.includes('Saturday at noon') ?? false,
  }))
  expect(frames).toEqual([
    { number: 1, at: 0, isWritten: false },
    { number: 2, at: 2, isWritten: true },
    { number: 3, at: 4, isWritten: false },
  ])
  expect(film.frames.map(({ caption }) => caption)).toEqual([
    expect.stringContaining('mostly'),
    'A picture that is mostly white.',
    'A picture that is mostly blue.',
  ])
  expect(film.segments.map(({ start, end, text: words }) => [start, Math.round(end), words])).toEqual([
    [0, 5, 'This is said from 0 to 5 seconds.'],
    [5, 6, 'This is said from 5 to 6 seconds.'],
  ])
  const [moment] = await mira.context.database.prisma.moment.findMany({ where: { mediaItemId: film.id, kind: 'text' } })
  expect([moment?.startSeconds, moment?.endSeconds].map((at) => Math.round(at ?? -1))).toEqual([2, 4])
  const { body } = await mira.request.get(film.frames[1]?.thumbnail ?? '').expect(200)
  const picture = await sharp(body).metadata()
  expect([picture.format, picture.width, picture.height]).toEqual(['webp', 512, 288])
})

test('the poster of a film that begins in black shows something', async () => {
  const filename = join(folder, 'black.mp4')
  const picture = (await writtenPicture('Summer', { fontSize: 80 })).toString('base64')
  const scenes = [
    { seconds: 3, colour: '#000000' },
    { seconds: 3, colour: '#ffffff', picture },
  ]
  const video = { codec: 'libx264', width: 320, height: 180, framesPerSecond: 10, scenes }
  const film = await processed(plain, ben, await makeFilm({ filename, muxer: 'mp4', video }))
  const { body } = await plain.request.get(film.thumbnail ?? '').expect(200)
  const { channels } = await sharp(body).stats()
  expect(channels[0]?.mean).toBeGreaterThan(150)
  expect(film.thumbhash).toMatch(/^[\w+/]{20,}=*$/)
})

test('a silent film of an old kind gets a copy to play, and each step says why it had nothing to do', async () => {
  const { filename } = await makeThreeScenes(folder, 'avi', { isSilent: true })
  const film = await processed(plain, ben, filename)
  expect(stepsOf(film)).toMatchObject({
    inspect: 'completed',
    frames: 'completed',
    read: 'completed',
    playback: 'completed',
    transcribe: 'skipped: This video has no sound.',
    caption: expect.stringMatching(/^skipped: ./),
  })
  const { headers, body } = await plain.request.get(film.preview_url ?? '').expect(200)
  expect(headers['content-type']).toBe('video/mp4')
  const copy = join(folder, 'copy.mp4')
  await writeFile(copy, body)
  const av = createAv({ sandboxing: testSandboxing })
  const info = await av.probe({ filename: copy, format: 'mp4' }, AbortSignal.timeout(20_000))
  await av.close()
  expect([info.video?.codec, info.audio]).toEqual(['h264', null])
})

test('a recording has its tags, its cover, how loud it is, and what is said', async () => {
  const { filename } = await makeRecording(folder, 'mp3')
  const cover = await sharp({ create: { width: 300, height: 300, channels: 3, background: '#c02040' } })
    .jpeg()
    .toBuffer()
  await tagMp3(filename, { title: 'Voices of the harbour', artist: 'Ana', cover })
  const recording = await processed(mira, ana, filename)
  expect(stepsOf(recording)).toMatchObject({
    inspect: 'completed',
    transcribe: 'completed',
    playback: 'skipped: Browsers can play this file as it is.',
  })
  expect(recording.metadata.details).toMatchObject({
    title: 'Voices of the harbour',
    artist: 'Ana',
    audio_codec: 'mp3',
  })
  expect(recording.metadata.details).not.toHaveProperty('waveform')
  expect(recording.transcription).toContain('This is said from 0 to 5 seconds.')
  expect(recording.waveform).toHaveLength(600)
  const loud = (second: number) => (recording.waveform[second * 100] ?? 0) > 0.2
  expect([0, 1, 2, 3, 4, 5].map(loud)).toEqual([false, true, false, true, false, true])
  const { body } = await mira.request.get(recording.thumbnail ?? '').expect(200)
  expect((await sharp(body).metadata()).format).toBe('webp')
})

test('a recording that is silent is not sent to be written down', async () => {
  const filename = join(folder, 'silence.wav')
  await makeFilm({ filename, muxer: 'wav', audio: { codec: 'pcm_s16le', seconds: 3, bursts: [] } })
  expect(stepsOf(await processed(mira, ana, filename))).toMatchObject({
    transcribe: 'skipped: Nothing can be heard in this recording.',
  })
  const audioFiles = model.requests.filter(({ path }) => path.includes('transcriptions')).map(({ body }) => body.file)
  expect(audioFiles).not.toContainEqual({ seconds: expect.closeTo(3, 0) })
})

test('a recording that not every browser plays gets a copy, and says that nothing writes it down', async () => {
  const { filename } = await makeRecording(folder, 'ogg')
  const recording = await processed(plain, ben, filename)
  expect(stepsOf(recording)).toMatchObject({ transcribe: expect.stringMatching(/^skipped: ./), playback: 'completed' })
  const { headers } = await plain.request.get(recording.preview_url ?? '').expect(200)
  expect(headers['content-type']).toBe('audio/mpeg')
})

test('a film without its index fails with the reason, and the next one is processed', async () => {
  const { filename } = await makeThreeScenes(folder, 'mp4', { name: 'whole' })
  const whole = await readFile(filename)
  const broken = join(folder, 'broken.mp4')
  await writeFile(broken, whole.subarray(0, whole.indexOf('moov') - 4))
  expect(await processed(plain, ben, broken)).toMatchObject({
    processing_status: 'failed',
    error: expect.stringContaining('damaged'),
  })
  const next = await makeFilm({
    filename: join(folder, 'next.webm'),
    muxer: filmFormats.webm.muxer,
    audio: { codec: filmFormats.webm.audio, seconds: 6, bursts: threeBursts },
  })
  expect(await processed(plain, ben, next)).toMatchObject({ processing_status: 'completed', media_type: 'audio' })
})
