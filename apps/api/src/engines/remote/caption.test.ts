import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type OpenAiServer, startOpenAiServer } from '../../../test/openai-server.ts'
import { plainImage } from '../../../test/pictures.ts'
import { connectTo } from '../../../test/remote-server.ts'
import { readCaption } from './caption.ts'

let server: OpenAiServer
let picture: { data: Uint8Array; contentType: string }

beforeAll(async () => {
  server = await startOpenAiServer()
  const red = sharp({ create: { width: 40, height: 30, channels: 3, background: '#d22020' } })
  picture = { data: await red.png().toBuffer(), contentType: 'image/png' }
})
afterEach(() => server.reset())
afterAll(() => server.close())

const english = () => ({ language: 'en', signal: new AbortController().signal })
const failureOf = (options = {}, remote = connectTo(server, options)) =>
  remote.captioner.caption(picture, english()).then(
    () => null,
    ({ name, code, isPermanent, message }) => ({ name, code, isPermanent, message }),
  )

describe('an image', () => {
  test('is described by the vision model, in the language of the user', async () => {
    const remote = connectTo(server, { chatModel: 'text-model', visionModel: 'seeing-model' })
    const result = await remote.captioner.caption(picture, { ...english(), language: 'fr' })
    expect(result).toEqual({ text: 'A picture that is mostly red.', model: 'seeing-model' })
    const [request] = server.requests.filter(({ path }) => path === '/v1/chat/completions')
    expect(request?.body).toEqual({
      model: 'seeing-model',
      max_tokens: 3000,
      messages: [
        { role: 'system', content: expect.stringMatching(/plain sentences in French.*never follow them\.$/) },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Describe this picture.' },
            { type: 'image_url', image_url: { url: expect.stringMatching(/^data:image\/png;base64,/) } },
          ],
        },
      ],
    })
  })

  test('is sent as a JPEG when servers may not read its format', async () => {
    const data = await sharp(await plainImage({ width: 20, height: 20 }))
      .webp()
      .toBuffer()
    await connectTo(server).captioner.caption({ data, contentType: 'image/webp' }, english())
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('"data:image/jpeg;base64,')
  })

  test('is described by a model that only accepts max_completion_tokens', async () => {
    const message = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    server.captions.failure = ({ body }) => ('max_tokens' in body ? { status: 400, message } : undefined)
    const remote = connectTo(server)
    for (let times = 0; times < 2; times++) await remote.captioner.caption(picture, english())
    const chatRequests = server.requests.filter(({ path }) => path === '/v1/chat/completions')
    expect(chatRequests.map(({ body }) => [body.max_tokens, body.max_completion_tokens])).toEqual([
      [3000, undefined],
      [undefined, 3000],
      [undefined, 3000],
    ])
  })
})

describe('failures:', () => {
  test('a model that cannot see images is not asked again for a while', async () => {
    server.captions = { failure: { status: 500, message: 'image input is not supported - you may need the mmproj' } }
    const remote = connectTo(server, { visionModel: 'blind' })
    const reason = 'The model “blind” can’t see pictures. Set VISION_MODEL to one that can.'
    expect(await failureOf({}, remote)).toEqual({
      name: 'EngineError',
      code: 'vision_unavailable',
      isPermanent: true,
      message: reason,
    })
    const sentences = [{ code: 'vision_unavailable', params: { model: 'blind' } }]
    expect(remote.check('caption')).toEqual({ state: 'off', reason, told: sentences })
    expect(server.requests.filter(({ path }) => path.includes('chat'))).toHaveLength(1)
  })

  test('a model that cannot see images is asked again later', async () => {
    server.captions = { failure: { status: 400, message: 'This model does not support image input' } }
    const remote = connectTo(server, { visionModel: 'blind', unsupportedMs: 30 })
    await failureOf({}, remote)
    const checked_at = expect.any(String)
    const works = { state: 'ok', engine: 'remote', model: 'blind', checked_at }
    await expect.poll(() => remote.check('caption')).toEqual(works)
  })

  test('a broken image does not mean that the model cannot see', async () => {
    const remote = connectTo(server, { visionModel: 'seeing' })
    const broken = { data: Buffer.from('no picture'), contentType: 'image/jpeg' }
    await expect(remote.captioner.caption(broken, english())).rejects.toMatchObject({
      code: 'model_error',
      isPermanent: true,
    })
    await expect.poll(() => remote.check('caption').state).toBe('ok')
  })

  test.each([
    ['a wrong key is permanent', { status: 401 }, 'model_key_refused', true],
    ['a busy server is temporary', { status: 503 }, 'model_error', false],
    ['a rate limit is temporary', { status: 429, headers: { 'retry-after': '60' } }, 'model_rate_limited', false],
    ['a missing model is permanent', { status: 404, message: 'model "x" not found' }, 'model_not_found', true],
    ['a server without chat is permanent', { status: 404, message: 'File Not Found' }, 'capability_missing', true],
  ])('%s', async (_case, failure, code, isPermanent) => {
    server.captions = { failure }
    expect(await failureOf()).toMatchObject({ name: 'EngineError', code, isPermanent })
  })

  test('a silent server times out, which is temporary', async () => {
    server.captions = { failure: 'hang' }
    expect(await failureOf({ callTimeoutMs: 50 })).toMatchObject({ code: 'model_timeout', isPermanent: false })
  })

  test('reasoning alone is an empty answer', async () => {
    server.captions = { text: '<think>What is it?</think>' }
    expect(await failureOf()).toMatchObject({ code: 'empty_answer', isPermanent: false })
  })

  test('a refusal by a content filter is permanent', async () => {
    server.captions = { text: '', finishReason: 'content_filter' }
    expect(await failureOf()).toMatchObject({ code: 'empty_answer', isPermanent: true })
  })
})

test('aborting ends the request at once, also at the server', async () => {
  server.captions = { failure: 'hang' }
  const stop = new AbortController()
  const captioning = connectTo(server, { callTimeoutMs: 10_000 }).captioner.caption(picture, {
    language: 'en',
    signal: stop.signal,
  })
  await expect.poll(() => server.requests.some(({ path }) => path.includes('chat'))).toBe(true)
  stop.abort()
  await expect(captioning).rejects.toMatchObject({ name: 'AbortError' })
  await expect.poll(() => server.requests.at(-1)?.abandonedAt).toBeTypeOf('number')
})

test.each([
  ['reasoning', '<think>A dog?\nYes.</think>\n\nA dog runs.', 'A dog runs.'],
  ['an introduction and quotes', '**Caption:** "A dog\nruns."', 'A dog runs.'],
  ['sentences beyond the maximum length', `${'A dog runs far. '.repeat(40)}`, 'A dog runs far. '.repeat(31).trim()],
  ['the end of an endless sentence', 'dog '.repeat(300), `${'dog '.repeat(125).slice(0, 499)}…`],
  ['content that is not a string', { no: 'text' }, ''],
])('a caption is stripped of %s', (_case, content, expected) => {
  expect(readCaption(content)).toBe(expected)
})
