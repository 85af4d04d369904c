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
const never = new AbortController().signal

test('a picture and what is to be done with it are sent, and what is drawn comes back', async () => {
  const result = await editor().edit(await picture(), 'as a negative', never)
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

test('a server that refuses the form of the answer is asked without it, from then on', async () => {
  openAi.imageEdits = { refusesForm: true }
  const remote = editor()
  await remote.edit(await picture(), 'again', never)
  await remote.edit(await picture(), 'and again', never)
  const forms = openAi.requests.flatMap(({ path, body }) => (path === '/v1/images/edits' ? [body.response_format] : []))
  expect(forms).toEqual(['b64_json', undefined, undefined])
})

test('an address in place of a picture is not fetched', async () => {
  openAi.imageEdits = { answersAddress: true }
  await expect(editor().edit(await picture(), 'x', never)).rejects.toMatchObject({
    code: 'empty_answer',
    message: expect.stringContaining('returned no picture'),
  })
})

test('a server that cannot do it is known to be so', async () => {
  openAi.imageEdits = { trouble: { status: 501, message: 'not implemented' } }
  const remote = connectTo(openAi, { imageModel: 'test-painter' })
  await expect(remote.imageEditor.edit(await picture(), 'x', never)).rejects.toMatchObject({ isLasting: true })
  expect(remote.check('image_edit')).toMatchObject({ state: 'off', reason: expect.any(String) })
})

test('without the name of a model, only one that redraws is taken', async () => {
  const remote = connectTo(openAi)
  await expect(remote.imageEditor.edit(await picture(), 'x', never)).rejects.toMatchObject({ code: 'model_not_found' })
  openAi.models = ['test-model', 'dall-e-3', 'gpt-image-1']
  const otherRemoteServer = connectTo(openAi)
  expect((await otherRemoteServer.imageEditor.edit(await picture(), 'x', never)).model).toBe('gpt-image-1')
})
