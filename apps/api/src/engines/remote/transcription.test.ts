import { writeFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type OpenAiServer, startOpenAiServer } from '../../../test/openai-server.ts'
import { connectTo } from '../../../test/remote-server.ts'
import { type Section, writeWav } from '../../../test/wav-files.ts'

let server: OpenAiServer

beforeAll(async () => {
  server = await startOpenAiServer()
})
afterEach(() => server.reset())
afterAll(() => server.close())

const requests = () => server.requests.filter(({ path }) => path === '/v1/audio/transcriptions')
const transcribe = (
  filename: string,
  options: { language?: string; signal?: AbortSignal } = {},
  remote = connectTo(server),
) => {
  const progress: number[] = []
  return remote.transcriber
    .transcribe(filename, {
      durationSeconds: 0,
      signal: new AbortController().signal,
      onProgress: (part) => progress.push(part),
      ...options,
    })
    .then((result) => ({ ...result, progress }))
}
const tone = (seconds: number): Section[] => [{ seconds }]
const failureOf = (filename: string) =>
  transcribe(filename).then(
    () => null,
    ({ name, code, isPermanent }) => ({ name, code, isPermanent }),
  )

describe('a recording', () => {
  test('is transcribed with times, language and confidence', async () => {
    server.transcriptions = {
      segments: [
        { start: 0, end: 2.5, text: ' Hello there.', avg_logprob: -0.1 },
        { start: 2.5, end: 4, text: ' Goodbye.', avg_logprob: -2 },
      ],
      language: 'german',
    }
    expect(await transcribe(writeWav(tone(4)), { language: 'de' })).toEqual({
      segments: [
        { start: 0, end: 2.5, text: 'Hello there.', confidence: 0.905 },
        { start: 2.5, end: 4, text: 'Goodbye.', confidence: 0.135 },
      ],
      language: 'de',
      model: 'test-whisper',
      progress: [1],
    })
    expect(requests().map(({ body }) => body)).toEqual([
      { model: 'test-whisper', response_format: 'verbose_json', language: 'de', file: { seconds: 4 } },
    ])
  })

  test('is sent in pieces when long, split where it is quiet, with times from the start of the recording', async () => {
    const filename = writeWav([{ seconds: 295 }, { seconds: 1, isSilent: true }, { seconds: 204 }], 1000)
    server.transcriptions.segments = ({ seconds }) => [{ start: 1, end: seconds - 1, text: 'Words.', avg_logprob: 0 }]
    const { segments, progress } = await transcribe(filename)
    const [first = 0, second = 0] = requests().map(({ body }) => (body.file as { seconds: number }).seconds)
    expect(first).toBeGreaterThan(295)
    expect(first).toBeLessThan(296)
    expect(first + second).toBeCloseTo(500, 3)
    expect(segments).toEqual([
      { start: 1, end: expect.closeTo(first - 1, 3), text: 'Words.', confidence: 1 },
      { start: expect.closeTo(first + 1, 3), end: expect.closeTo(499, 3), text: 'Words.', confidence: 1 },
    ])
    expect(progress).toEqual([expect.closeTo(first / 500, 5), 1])
  })

  test('is sent in shorter pieces when the server rejects long ones', async () => {
    server.transcriptions = { maxSeconds: 100, segments: [{ start: 0, end: 5, text: 'Words.' }] }
    const { segments, progress } = await transcribe(writeWav(tone(240), 1000))
    expect(segments.length).toBeGreaterThan(3)
    expect(progress.at(-1)).toBe(1)
  })

  test('has its sentences spread over its duration when the model returns no times', async () => {
    server.transcriptions = {
      refuses: ['verbose_json'],
      segments: [{ start: 0, end: 1, text: 'One two. Three four five six.' }],
    }
    const remote = connectTo(server)
    const filename = writeWav(tone(28))
    const expected = [
      { start: 0, end: 8, text: 'One two.', confidence: null },
      { start: 8, end: 28, text: 'Three four five six.', confidence: null },
    ]
    expect(await transcribe(filename, {}, remote)).toMatchObject({ segments: expected, language: null })
    expect(await transcribe(filename, {}, remote)).toMatchObject({ segments: expected })
    expect(requests().map(({ body }) => body.response_format)).toEqual(['verbose_json', 'json', 'json'])
  })

  test('can be transcribed as plain text', async () => {
    server.transcriptions = { refuses: ['verbose_json', 'json'], segments: [{ start: 0, end: 1, text: 'One.' }] }
    expect((await transcribe(writeWav(tone(4)))).segments).toEqual([
      { start: 0, end: 4, text: 'One.', confidence: null },
    ])
  })

  test('has no words where it is silent or nobody speaks', async () => {
    const filename = writeWav([{ seconds: 4 }, { seconds: 6, isSilent: true }])
    server.transcriptions.segments = [
      { start: 0, end: 3, text: 'Really said.', avg_logprob: -0.2, no_speech_prob: 0.7 },
      { start: 1, end: 2, text: ' [BLANK_AUDIO]' },
      { start: 2, end: 3, text: 'Murmur', avg_logprob: -1.5, no_speech_prob: 0.9 },
      { start: 3, end: 3.5, text: 'Thanks for watching!', no_speech_prob: 0.5 },
      { start: 3, end: 3.5, text: '   ' },
      { start: 5, end: 9, text: 'Said into silence.', avg_logprob: -0.1 },
    ]
    expect((await transcribe(filename)).segments).toEqual([
      { start: 0, end: 3, text: 'Really said.', confidence: 0.819 },
    ])
  })

  test('is not sent when it is silent', async () => {
    expect(await transcribe(writeWav([{ seconds: 20, isSilent: true }]))).toEqual({
      segments: [],
      language: null,
      model: 'test-whisper',
      progress: [1],
    })
    expect(requests()).toEqual([])
  })
})

describe('failures:', () => {
  test('a file that the server cannot read is permanent', async () => {
    server.transcriptions.failure = { status: 400, message: 'Invalid file format.' }
    expect(await failureOf(writeWav(tone(1)))).toEqual({ name: 'EngineError', code: 'model_error', isPermanent: true })
  })

  test('a server without transcription is permanent', async () => {
    server.transcriptions.failure = { status: 501, message: 'The current model does not support audio input.' }
    expect(await failureOf(writeWav(tone(1)))).toEqual({
      name: 'EngineError',
      code: 'capability_missing',
      isPermanent: true,
    })
  })

  test('a server that is down is temporary', async () => {
    await server.stop()
    try {
      const failure = await connectTo(server, { transcriptionModel: 'some' })
        .transcriber.transcribe(writeWav(tone(1)), { durationSeconds: 1, signal: new AbortController().signal })
        .catch((error) => error)
      expect(failure).toMatchObject({ code: 'model_unreachable', isPermanent: false })
    } finally {
      await server.listen()
    }
  })

  test('a file that is not a WAV is rejected', async () => {
    const filename = writeWav(tone(1))
    writeFileSync(filename, 'something else')
    await expect(transcribe(filename)).rejects.toThrow("The sound isn't a WAV file.")
  })
})

test('aborting ends a transcription at once', async () => {
  server.transcriptions.failure = 'hang'
  const stop = new AbortController()
  const transcription = transcribe(writeWav(tone(1)), { signal: stop.signal })
  await expect.poll(() => requests().length).toBe(1)
  stop.abort()
  await expect(transcription).rejects.toMatchObject({ name: 'AbortError' })
})
