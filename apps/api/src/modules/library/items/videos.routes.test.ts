import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MediaDetailJson, MediaItemJson } from '@mira/shared'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type OpenAiServer, startOpenAiServer } from '../../../../test/openai-server.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'
import { testSandboxing } from '../../../../test/test-sandboxing.ts'
import {
  createThreeSceneVideo,
  createVideo,
  makeRecording,
  tagMp3,
  threeBursts,
  videoFormats,
} from '../../../../test/videos.ts'
import { textImage } from '../../../../test/written-pictures.ts'
import { createAv } from '../../../parsers/video/create-av.ts'

// Decoding, OCR and encoding are slow on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

let folder: string
let model: OpenAiServer
let mira: TestApp
let ana: TestAccount
/** App without models. */
let miraWithoutModels: TestApp
let ben: TestAccount
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mira-videos-'))
  model = await startOpenAiServer()
  mira = await startTestApp({
    isStarted: true,
    environment: { OPENAI_BASE_URL: model.baseUrl, VISION_MODEL: 'test-model', TRANSCRIPTION_MODEL: 'test-whisper' },
  })
  ana = await mira.createUser({ can_upload: true })
  miraWithoutModels = await startTestApp({ isStarted: true })
  ben = await miraWithoutModels.createUser({ can_upload: true })
})
afterAll(async () => {
  await mira?.close()
  await miraWithoutModels?.close()
  await model?.close()
  await rm(folder, { recursive: true, force: true })
})

async function processFile(app: TestApp, account: TestAccount, filename: string): Promise<MediaDetailJson> {
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

test('splits a video into frames, and reads, captions and transcribes it with times', async () => {
  const text = await textImage(['Harbour festival', 'Saturday at noon'], { fontSize: 60 })
  const { filename } = await createThreeSceneVideo(folder, 'mp4', { text, width: 1280, height: 720 })
  const item = await processFile(mira, ana, filename)
  expect(stepsOf(item)).toMatchObject({
    inspect: 'completed',
    frames: 'completed',
    read: 'completed',
    caption: 'completed',
    transcribe: 'completed',
    playback: 'skipped: Browsers can play this file as it is.',
  })
  expect(item).toMatchObject({
    media_type: 'video',
    processing_status: 'completed',
    frames_count: 3,
    metadata: { width: 1280, height: 720, details: { container: 'mp4', video_codec: 'h264', audio_codec: 'aac' } },
    engines: { read: { engine: 'built-in' }, caption: { engine: 'remote' }, transcribe: { engine: 'remote' } },
    extracted_text: expect.stringContaining('Harbour festival'),
  })
  expect(item.duration).toBeCloseTo(6, 1)
  expect(item.caption).toMatch(/mostly/)
  const frames = item.frames.map(({ frame_number: number, timestamp_seconds: at, extracted_text: frameText }) => ({
    ...{ number, at: Math.round(at) },
    hasText: frameText?.includes('Saturday at noon') ?? false,
  }))
  expect(frames).toEqual([
    { number: 1, at: 0, hasText: false },
    { number: 2, at: 2, hasText: true },
    { number: 3, at: 4, hasText: false },
  ])
  expect(item.frames.map(({ caption }) => caption)).toEqual([
    expect.stringContaining('mostly'),
    'A picture that is mostly white.',
    'A picture that is mostly blue.',
  ])
  expect(item.segments.map(({ start, end, text: segmentText }) => [start, Math.round(end), segmentText])).toEqual([
    [0, 5, 'This is said from 0 to 5 seconds.'],
    [5, 6, 'This is said from 5 to 6 seconds.'],
  ])
  const [moment] = await mira.context.database.prisma.moment.findMany({ where: { mediaItemId: item.id, kind: 'text' } })
  expect([moment?.startSeconds, moment?.endSeconds].map((at) => Math.round(at ?? -1))).toEqual([2, 4])
  const { body } = await mira.request.get(item.frames[1]?.thumbnail ?? '').expect(200)
  const picture = await sharp(body).metadata()
  expect([picture.format, picture.width, picture.height]).toEqual(['webp', 512, 288])
})

test('the thumbnail of a video that starts in black shows a later frame', async () => {
  const filename = join(folder, 'black.mp4')
  const picture = (await textImage('Summer', { fontSize: 80 })).toString('base64')
  const scenes = [
    { seconds: 3, colour: '#000000' },
    { seconds: 3, colour: '#ffffff', picture },
  ]
  const video = { codec: 'libx264', width: 320, height: 180, framesPerSecond: 10, scenes }
  const item = await processFile(miraWithoutModels, ben, await createVideo({ filename, muxer: 'mp4', video }))
  const { body } = await miraWithoutModels.request.get(item.thumbnail ?? '').expect(200)
  const { channels } = await sharp(body).stats()
  expect(channels[0]?.mean).toBeGreaterThan(150)
  expect(item.thumbhash).toMatch(/^[\w+/]{20,}=*$/)
})

test('a silent video in an old format gets a playable copy, and skipped steps give the reason', async () => {
  const { filename } = await createThreeSceneVideo(folder, 'avi', { isSilent: true })
  const item = await processFile(miraWithoutModels, ben, filename)
  expect(stepsOf(item)).toMatchObject({
    inspect: 'completed',
    frames: 'completed',
    read: 'completed',
    playback: 'completed',
    transcribe: 'skipped: This video has no sound.',
    caption: expect.stringMatching(/^skipped: ./),
  })
  const { headers, body } = await miraWithoutModels.request.get(item.preview_url ?? '').expect(200)
  expect(headers['content-type']).toBe('video/mp4')
  const copy = join(folder, 'copy.mp4')
  await writeFile(copy, body)
  const av = createAv({ sandboxing: testSandboxing })
  const info = await av.probe({ filename: copy, format: 'mp4' }, AbortSignal.timeout(20_000))
  await av.close()
  expect([info.video?.codec, info.audio]).toEqual(['h264', null])
})

test('a recording has its tags, cover, waveform and transcript', async () => {
  const { filename } = await makeRecording(folder, 'mp3')
  const cover = await sharp({ create: { width: 300, height: 300, channels: 3, background: '#c02040' } })
    .jpeg()
    .toBuffer()
  await tagMp3(filename, { title: 'Voices of the harbour', artist: 'Ana', cover })
  const recording = await processFile(mira, ana, filename)
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
  const isLoud = (second: number) => (recording.waveform[second * 100] ?? 0) > 0.2
  expect([0, 1, 2, 3, 4, 5].map(isLoud)).toEqual([false, true, false, true, false, true])
  const { body } = await mira.request.get(recording.thumbnail ?? '').expect(200)
  expect((await sharp(body).metadata()).format).toBe('webp')
})

test('a silent recording isn’t sent for transcription', async () => {
  const filename = join(folder, 'silence.wav')
  await createVideo({ filename, muxer: 'wav', audio: { codec: 'pcm_s16le', seconds: 3, bursts: [] } })
  expect(stepsOf(await processFile(mira, ana, filename))).toMatchObject({
    transcribe: 'skipped: Nothing can be heard in this recording.',
  })
  const audioFiles = model.requests.filter(({ path }) => path.includes('transcriptions')).map(({ body }) => body.file)
  expect(audioFiles).not.toContainEqual({ seconds: expect.closeTo(3, 0) })
})

test('a recording that not every browser plays gets a playable copy, and its transcription is skipped with a reason', async () => {
  const { filename } = await makeRecording(folder, 'ogg')
  const recording = await processFile(miraWithoutModels, ben, filename)
  expect(stepsOf(recording)).toMatchObject({ transcribe: expect.stringMatching(/^skipped: ./), playback: 'completed' })
  const { headers } = await miraWithoutModels.request.get(recording.preview_url ?? '').expect(200)
  expect(headers['content-type']).toBe('audio/mpeg')
})

test('a video without its index fails with the reason, and the next file is processed', async () => {
  const { filename } = await createThreeSceneVideo(folder, 'mp4', { name: 'whole' })
  const content = await readFile(filename)
  const broken = join(folder, 'broken.mp4')
  await writeFile(broken, content.subarray(0, content.indexOf('moov') - 4))
  expect(await processFile(miraWithoutModels, ben, broken)).toMatchObject({
    processing_status: 'failed',
    error: expect.stringContaining('damaged'),
  })
  const next = await createVideo({
    filename: join(folder, 'next.webm'),
    muxer: videoFormats.webm.muxer,
    audio: { codec: videoFormats.webm.audio, seconds: 6, bursts: threeBursts },
  })
  expect(await processFile(miraWithoutModels, ben, next)).toMatchObject({
    processing_status: 'completed',
    media_type: 'audio',
  })
})
