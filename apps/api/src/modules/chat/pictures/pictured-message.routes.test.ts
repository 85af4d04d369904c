import { readdir } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ChatClient, createChatClient, idsOf, listen, textOf } from '../../../../test/chat-client.ts'
import { type OpenAiServer, startOpenAiServer } from '../../../../test/openai-server.ts'
import { noisyImage, plainImage, pngWithClaimedSize } from '../../../../test/pictures.ts'
import { startTestApp, type TestApp } from '../../../../test/test-app.ts'

let model: OpenAiServer
let server: TestApp
let url: string
let client: ChatClient
let picture: string

beforeAll(async () => {
  model = await startOpenAiServer()
  server = await startTestApp({
    environment: { OPENAI_BASE_URL: model.baseUrl, CHAT_MODEL: 'text-model', VISION_MODEL: 'seeing-model' },
    modelLimits: { firstTokenTimeoutMs: 5_000, idleTimeoutMs: 5_000, retryDelayMs: 10 },
    isStarted: true,
  })
  url = await listen(server.app)
  picture = (await plainImage({ width: 90, height: 60 })).toString('base64')
})
beforeEach(async () => {
  client = createChatClient(url, (await server.createUser()).token)
})
afterEach(() => model.reset())
afterAll(async () => {
  await server.close()
  await model.close()
})

const imageMessage = (fields: object = {}) => ({
  content: 'What is this?',
  has_images: true,
  images: [picture],
  ...fields,
})

describe('a message with images', () => {
  test('is answered by the vision model, and one without images by the text model', async () => {
    model.when('What is this?', { text: 'A red square.' })
    const stream = await client.send(imageMessage())
    await stream.ended
    expect(textOf(stream.received)).toBe('A red square.')
    const { sessionId } = idsOf(stream)
    const again = await client.send({ content: 'And in words?', session_id: sessionId })
    await again.ended
    const [first, second] = model.chats().map(({ body }) => body)
    expect([first?.model, second?.model]).toEqual(['seeing-model', 'text-model'])
    expect(first?.messages?.at(-1)?.content).toEqual([
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: expect.stringMatching(/^data:image\/jpeg;base64,/) } },
    ])
  })

  test('shows them at signed URLs that load without a token', async () => {
    const stream = await client.send(imageMessage({ images: [picture, `data:text/html;base64,${picture}`] }))
    await stream.ended
    const [question] = (await client.read(idsOf(stream).sessionId)).messages
    expect(question?.images).toEqual([
      expect.objectContaining({ name: 'picture-1.jpg', width: 90, height: 60 }),
      expect.objectContaining({ name: 'picture-2.jpg', width: 90, height: 60 }),
    ])
    const response = await fetch(url + question!.images[0]!.url)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
  })

  test('but no text asks for a description', async () => {
    const stream = await client.send(imageMessage({ content: '  ' }))
    await stream.ended
    const [question] = (await client.read(idsOf(stream).sessionId)).messages
    expect(question?.content).toBe('Please describe these images.')
  })

  test('is sent to the vision model when its answer is regenerated', async () => {
    const stream = await client.send(imageMessage())
    await stream.ended
    const { sessionId, messageId } = idsOf(stream)
    await (await client.regenerate(sessionId, messageId)).ended
    expect(model.chats().map(({ body }) => body.model)).toEqual(['seeing-model', 'seeing-model'])
  })

  test('leaves no file behind when its conversation is deleted', async () => {
    const account = await server.createUser()
    const own = createChatClient(url, account.token)
    const stream = await own.send(imageMessage())
    await stream.ended
    const folder = `${server.context.config.dataDir}/files/${account.user.id}`
    const files = async () =>
      (await readdir(folder, { recursive: true }).catch(() => [])).filter((name) => name.length > 60)
    expect(await files()).toHaveLength(1)
    await own.call('DELETE', `/chat/sessions/${idsOf(stream).sessionId}`)
    await expect.poll(files, { timeout: 10_000 }).toEqual([])
  })
})

describe('a message is rejected', () => {
  test.each([
    ['with a file that isn’t an image', async () => Buffer.from('hello').toString('base64'), 415, 'unsupported_type'],
    ['with an empty image', async () => '', 422, 'empty_image'],
    [
      'with an image of 100 megapixels',
      async () => (await pngWithClaimedSize(10_000, 10_000)).toString('base64'),
      413,
      'too_many_pixels',
    ],
    [
      'with an image larger than 8 MB',
      async () => (await noisyImage({ width: 4_000, height: 3_200 })).toString('base64'),
      413,
      'image_too_large',
    ],
  ])('%s, and nothing is stored', async (_what, image, status, code) => {
    const response = await client.call<{ code: string; detail: string }>('POST', '/chat/message', {
      ...imageMessage({ images: [picture, await image()] }),
    })
    expect([response.status, response.body.code]).toEqual([status, code])
    expect(response.body.detail).toContain('Picture 2')
    expect((await client.call('GET', '/chat/sessions')).body).toEqual([])
  })

  test('with images for another user’s conversation', async () => {
    const other = createChatClient(url, (await server.createUser()).token)
    const stream = await other.send({ content: 'Hello' })
    await stream.ended
    const { status } = await client.call('POST', '/chat/message', imageMessage({ session_id: idsOf(stream).sessionId }))
    expect(status).toBe(404)
  })
})

describe('a message whose answer fails keeps its images and sends them on retry:', () => {
  const reload = async (sessionId: string) => {
    const { messages } = await client.read(sessionId)
    const responses = await Promise.all(messages[0]!.images.map((image) => fetch(url + image.url)))
    return {
      statuses: responses.map(({ status }) => status),
      names: messages[0]!.images.map(({ name }) => name),
      answer: { content: messages[1]!.content, error_code: messages[1]!.error_code },
    }
  }
  const keptImages = { statuses: [200, 200], names: ['picture-1.jpg', 'picture-2.jpg'] }

  test.each([
    [
      'a model without vision',
      { status: 400, message: 'This model does not support image input' },
      'vision_unavailable',
    ],
    ['a rejected key', { status: 401 }, 'model_key_refused'],
    ['a server error', { status: 500, message: 'Out of memory' }, 'model_error'],
  ])('%s', async (_what, error, code) => {
    model.when('What is this?', { error })
    const stream = await client.send(imageMessage({ images: [picture, picture] }))
    await stream.ended
    const { sessionId, messageId } = idsOf(stream)
    expect(await reload(sessionId)).toEqual({ ...keptImages, answer: { content: '', error_code: code } })
    model.reset()
    model.when('What is this?', { text: 'Two squares.' })
    await (await client.regenerate(sessionId, messageId)).ended
    expect(await reload(sessionId)).toEqual({ ...keptImages, answer: { content: 'Two squares.', error_code: null } })
    expect(model.chats().at(-1)?.body.messages?.at(-1)?.content).toHaveLength(3)
  })

  test('an unreachable server', async () => {
    await model.stop()
    const stream = await client.send(imageMessage({ images: [picture, picture] }))
    await stream.ended
    await model.listen()
    const answer = { content: '', error_code: 'model_unreachable' }
    expect(await reload(idsOf(stream).sessionId)).toEqual({ ...keptImages, answer })
  })
})

test('the configuration reports whether the model supports images', async () => {
  const capability = async () => (await server.request.get('/api/config')).body.capabilities.vision
  await (await client.send(imageMessage())).ended
  expect(await capability()).toBe(true)
  model.when('What is this?', { error: { status: 400, message: 'This model does not support image input' } })
  await (await client.send(imageMessage())).ended
  expect(await capability()).toBe(false)
  model.reset()
  await (await client.send(imageMessage())).ended
  expect(await capability()).toBe(true)
})

test('a model without vision causes an error, and the question keeps its image', async () => {
  const error = { status: 500, message: 'image input is not supported - hint: you may need to provide the mmproj' }
  model.when('What is this?', { error })
  const stream = await client.send(imageMessage())
  await stream.ended
  expect(stream.received.at(-1)?.event).toMatchObject({ type: 'error', code: 'vision_unavailable' })
  expect((await client.read(idsOf(stream).sessionId)).messages[0]?.images).toHaveLength(1)
})
