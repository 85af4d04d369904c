import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { VOICE_MAX_SECONDS } from '@mira/shared'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type OpenAiServer, startOpenAiServer } from '../../../../test/openai-server.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'
import { writeWav } from '../../../../test/wav-files.ts'

let model: OpenAiServer
let server: TestApp
let account: TestAccount

beforeAll(async () => {
  model = await startOpenAiServer()
  server = await startTestApp({
    environment: {
      OPENAI_BASE_URL: model.baseUrl,
      TRANSCRIPTION_MODEL: 'test-whisper',
      SPEECH_MODEL: 'test-tts',
    },
  })
  account = await server.createUser({ can_use_voice: true })
})
afterEach(() => model.reset())
afterAll(async () => {
  await server.close()
  await model.close()
})

const transcribe = (file: string | Buffer, language?: string) => {
  const upload = server.request.post('/api/voice/transcribe').auth(account.token, { type: 'bearer' })
  if (language !== undefined) upload.field('language', language)
  return upload.attach('file', file, 'said.webm')
}
const speak = (body: object) =>
  server.request.post('/api/voice/speak').auth(account.token, { type: 'bearer' }).buffer(true).send(body)
const modelRequests = (path: string) =>
  model.requests.filter((request) => request.path === path).map(({ body }) => body)

describe('a voice recording', () => {
  test('is transcribed in the spoken language, and no part of it is kept', async () => {
    model.transcriptions = {
      segments: [
        { start: 0, end: 1, text: ' Erinnere mich' },
        { start: 1, end: 2, text: ' an den Zahnarzt.' },
      ],
      language: 'german',
    }
    const { body } = await transcribe(writeWav([{ seconds: 2 }], 8000), 'de').expect(200)
    expect(body).toEqual({
      text: 'Erinnere mich an den Zahnarzt.',
      language: 'de',
      duration: 2,
      engine: 'remote',
      model: 'test-whisper',
    })
    expect(modelRequests('/v1/audio/transcriptions')).toMatchObject([{ language: 'de', file: { seconds: 2 } }])
    const { dataDir } = server.context.config
    const remainingFiles = ['files', 'scratch'].flatMap((folder) =>
      readdirSync(join(dataDir, folder), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()),
    )
    expect(remainingFiles).toEqual([])
  })

  test('has an empty transcript when it’s silent, without calling a model', async () => {
    const { body } = await transcribe(writeWav([{ seconds: 1, isSilent: true }])).expect(200)
    expect(body).toEqual({ text: '', language: null, duration: 1, engine: 'remote', model: null })
    expect(modelRequests('/v1/audio/transcriptions')).toEqual([])
  })

  const tooLong = () => readFileSync(writeWav([{ seconds: VOICE_MAX_SECONDS + 5 }], 8000))
  test.each([
    ['an empty file', () => Buffer.alloc(0), 422, 'empty_file'],
    ['a text with the name of a recording', () => Buffer.from('hello '.repeat(50)), 415, 'unsupported_type'],
    [
      'a file that is cut off in its header',
      () => Buffer.from('RIFF\x10\x00\x00\x00WAVEfmt ', 'latin1'),
      422,
      'damaged_media',
    ],
    ['longer than ten minutes', tooLong, 413, 'recording_too_long'],
    ['larger than 25 MB', () => Buffer.alloc(26 * 1024 * 1024), 413, 'file_too_large'],
  ])('is rejected with a reason when it is %s', async (_what, content, status, code) => {
    const { body } = await transcribe(content()).expect(status)
    expect(body).toEqual({ code, detail: expect.stringMatching(/\.$/) })
  })

  test('fails with a message that includes the model server’s error for administrators', async () => {
    model.transcriptions = { failure: { status: 400, message: 'It is broken' } }
    const { body } = await transcribe(writeWav([{ seconds: 1 }])).expect(502)
    expect(body.detail).toContain('answered with an error (400). Ask an administrator.')
    const adminResponse = await server.request
      .post('/api/voice/transcribe')
      .auth(server.admin.token, { type: 'bearer' })
      .attach('file', writeWav([{ seconds: 1 }]))
      .expect(502)
    expect(adminResponse.body.detail).toContain('It is broken')
  })
})

describe('a text', () => {
  test('is read aloud without its markup, in the requested voice', async () => {
    const { headers, body } = await speak({ text: '## Hello\n\nYou have **two** [mails](https://x.org) [1].' }).expect(
      200,
    )
    // a local server may ignore the requested format; the content decides
    expect(headers['content-type']).toBe('audio/wav')
    expect(Buffer.from(body).toString('latin1', 0, 4)).toBe('RIFF')
    await speak({ text: 'Again', voice: 'nova' }).expect(200)
    expect(modelRequests('/v1/audio/speech')).toEqual([
      { model: 'test-tts', input: 'Hello.\nYou have two mails.', voice: 'alloy', response_format: 'mp3' },
      { model: 'test-tts', input: 'Again.', voice: 'nova', response_format: 'mp3' },
    ])
  })

  test.each([
    [{ text: '' }, 422, 'validation_failed'],
    [{ text: 'x'.repeat(4001) }, 422, 'validation_failed'],
    [{ text: 'Hello', voice: '../x' }, 422, 'validation_failed'],
    [{ text: '```\ncode\n```' }, 422, 'nothing_to_say'],
  ])('that can’t be read aloud is rejected: %j', async (body, status, code) => {
    expect((await speak(body).expect(status)).body.code).toBe(code)
  })

  test('fails when the model server doesn’t return audio', async () => {
    model.speech = { body: Buffer.from('<html>') }
    expect((await speak({ text: 'Hello' }).expect(502)).body.code).toBe('empty_answer')
  })

  test('whose audio never ends is cut off and frees its slot', async () => {
    model.speech = { isEndless: true }
    for (let n = 0; n < 4; n++) await expect(speak({ text: 'Hello' })).rejects.toThrow()
    model.speech = {}
    await speak({ text: 'Hello' }).expect(200)
  })
})

test('without models, both endpoints say what is missing', async () => {
  const miraWithoutModels = await startTestApp()
  try {
    const errorsFor = async ({ token }: TestAccount) => {
      const post = (path: string) =>
        miraWithoutModels.request.post(`/api/voice/${path}`).auth(token, { type: 'bearer' })
      const transcription = await post('transcribe')
        .attach('file', writeWav([{ seconds: 1 }]))
        .expect(503)
      const speech = await post('speak').send({ text: 'Hello' }).expect(503)
      return [transcription.body, speech.body]
    }
    expect(await errorsFor(await miraWithoutModels.createUser({ can_use_voice: true }))).toEqual([
      { code: 'no_transcription', detail: 'No model that transcribes speech is connected. Ask an administrator.' },
      { code: 'no_speech', detail: 'No model that reads texts aloud is connected. Ask an administrator.' },
    ])
    expect(await errorsFor(miraWithoutModels.admin)).toEqual([
      { code: 'no_transcription', detail: expect.stringContaining('TRANSCRIPTION_MODEL') },
      { code: 'no_speech', detail: expect.stringContaining('SPEECH_MODEL') },
    ])
  } finally {
    await miraWithoutModels.close()
  }
})
