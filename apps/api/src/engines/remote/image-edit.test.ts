import sharp from 'sharp'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type OpenAiServer, startOpenAiServer } from '../../../test/openai-server.ts'
import { connectTo } from '../../../test/remote-server.ts'

let openAi: OpenAiServer
beforeAll(async () => {
  openAi = await startOpenAiServer()
})
afterAll(() => openAi.close())
beforeEach(() => openAi.reset())

const picture = () =>
  sharp({ create: { width: 30, height: 20, channels: 3, background: '#ff2010' } })
    .png()
    .toBuffer()
const editor = () => connectTo(openAi, { imageModel: 'test-painter' }).imageEditor
const signal = new AbortController().signal

test('sends an image with an instruction and returns the edited image', async () => {
  const result = await editor().edit(await picture(), 'as a negative', signal)
  expect(result.model).toBe('test-painter')
  const { channels } = await sharp(result.picture).stats()
  expect(channels.map(({ mean }) => Math.round(mean))).toEqual([0, 223, 239])
  const { body } = openAi.requests.find(({ path }) => path === '/v1/images/edits') ?? {}
  expect(body).toMatchObject({
    model: 'test-painter',
    prompt: 'as a negative',
    response_format: 'b64_json',
    image: { width: 30, height: 20, format: 'png' },
  })
})

test('omits response_format once the server has rejected it', async () => {
  openAi.imageEdits = { rejectsResponseFormat: true }
  const remote = editor()
  await remote.edit(await picture(), 'again', signal)
  await remote.edit(await picture(), 'and again', signal)
  const responseFormats = openAi.requests.flatMap(({ path, body }) =>
    path === '/v1/images/edits' ? [body.response_format] : [],
  )
  expect(responseFormats).toEqual(['b64_json', undefined, undefined])
})

test('rejects an address in place of an image', async () => {
  openAi.imageEdits = { returnsUrl: true }
  await expect(editor().edit(await picture(), 'x', signal)).rejects.toMatchObject({
    code: 'empty_answer',
    message: expect.stringContaining('returned no picture'),
  })
})

test('image editing is off once a server turns out not to support it', async () => {
  openAi.imageEdits = { failure: { status: 501, message: 'not implemented' } }
  const remote = connectTo(openAi, { imageModel: 'test-painter' })
  await expect(remote.imageEditor.edit(await picture(), 'x', signal)).rejects.toMatchObject({ isPermanent: true })
  expect(remote.check('image_edit')).toMatchObject({ state: 'off', reason: expect.any(String) })
})

test('uses only a model that edits images when none is configured', async () => {
  const remote = connectTo(openAi)
  await expect(remote.imageEditor.edit(await picture(), 'x', signal)).rejects.toMatchObject({ code: 'model_not_found' })
  openAi.models = ['test-model', 'dall-e-3', 'gpt-image-1']
  const otherRemote = connectTo(openAi)
  expect((await otherRemote.imageEditor.edit(await picture(), 'x', signal)).model).toBe('gpt-image-1')
})
