import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type ChatClient, createChatClient, idsOf, listen } from '../../../../test/chat-client.ts'
import { type OpenAiServer, startOpenAiServer, toolResults } from '../../../../test/openai-server.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

let model: OpenAiServer
let server: TestApp
let anna: TestAccount
let client: ChatClient
beforeAll(async () => {
  model = await startOpenAiServer()
  const environment = { OPENAI_BASE_URL: model.baseUrl, CHAT_MODEL: 'test-model', IMAGE_MODEL: 'test-painter' }
  server = await startTestApp({ environment })
  anna = await server.createUser({ can_upload: true })
  client = createChatClient(await listen(server.app), anna.token)
})
afterEach(() => model.reset())
afterAll(async () => {
  await server.close()
  await model.close()
})

const draw = (prompt: string) => ({ name: 'make_picture', arguments: { prompt } })
const bearer = () => [anna.token, { type: 'bearer' }] as const

test('an image is generated, shown with the answer, and kept in the memory with its prompt', async () => {
  model.next({ calls: [draw('a red boat in fog')] }, { text: 'Here is your boat.' })
  const stream = await client.send({ content: 'Draw me a boat' })
  await stream.ended
  const { sessionId, messageId } = idsOf(stream)
  const { body } = model.requests.find(({ path }) => path === '/v1/images/generations') ?? {}
  expect(body).toMatchObject({ model: 'test-painter', prompt: 'a red boat in fog', n: 1 })
  const answer = (await client.read(sessionId)).messages.at(-1)!
  expect(answer.agent_calls).toMatchObject([{ name: 'make_picture', state: 'finished', summary: 'test-painter' }])
  expect(answer.images).toMatchObject([{ name: 'a red boat in fog.png', width: 64, height: 48 }])
  const image = await server.request.get(answer.images[0]!.url).expect(200)
  expect(image.headers['content-type']).toMatch(/^image\//)
  // other users can't reach it
  const ben = await server.createUser({ can_upload: true })
  const keepPath = `/api/chat/messages/${messageId}/images/0/keep`
  await server.request.post(keepPath).auth(ben.token, { type: 'bearer' }).expect(404)
  const saved = await server.request
    .post(keepPath)
    .auth(...bearer())
    .expect(201)
  const item = await server.request
    .get(`/api/media/${saved.body.id}`)
    .auth(...bearer())
    .expect(200)
  expect(item.body).toMatchObject({ media_type: 'image', caption: 'a red boat in fog' })
})

test('an answer generates at most two images, in order; a failure is reported and leaves none', async () => {
  model.next({ calls: [draw('one'), draw('two'), draw('three')] }, { text: 'Done.' })
  const stream = await client.send({ content: 'Draw three' })
  await stream.ended
  const message = (await client.read(idsOf(stream).sessionId)).messages.at(-1)!
  expect(message.images.map(({ name }) => name)).toEqual(['one.png', 'two.png'])
  expect(toolResults(model.chats().at(-1)!)[2]).toContain('Enough pictures')
  model.imageEdits = { returnsUrl: true }
  model.next({ calls: [draw('four')] }, { text: 'It did not work.' })
  const failed = await client.send({ content: 'Draw another' })
  await failed.ended
  const answer = (await client.read(idsOf(failed).sessionId)).messages.at(-1)!
  expect(answer.images).toEqual([])
  expect(answer.agent_calls).toMatchObject([{ name: 'make_picture', state: 'failed' }])
})

const offeredTools = () =>
  model
    .chats()
    .at(-1)
    ?.body.tools?.map(({ function: { name } }) => name) ?? []

test('the tool is only offered where an image model is connected', async () => {
  const environment = { OPENAI_BASE_URL: model.baseUrl, CHAT_MODEL: 'test-model' }
  const otherServer = await startTestApp({ environment })
  const { token } = await otherServer.createUser({ can_upload: true })
  const stream = await createChatClient(await listen(otherServer.app), token).send({ content: 'Draw me a boat' })
  await stream.ended
  expect(offeredTools()).not.toEqual([])
  expect(offeredTools()).not.toContain('make_picture')
  await otherServer.close()
})

test('the tool is offered in stored conversations and not in temporary ones', async () => {
  const ask = async (fields: object) => {
    const stream = await client.send({ content: 'Hello', ...fields })
    await stream.ended
  }
  await ask({})
  expect(offeredTools()).toContain('make_picture')
  await ask({ temporary: true, history: [] })
  expect(offeredTools()).not.toContain('make_picture')
})
