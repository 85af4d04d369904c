import { readFile } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createApiToken } from '../../../../test/api-tokens.ts'
import { listen } from '../../../../test/chat-client.ts'
import { insertMediaItem, insertMoment } from '../../../../test/factories.ts'
import { ask, collect, openAiClient } from '../../../../test/openai-client.ts'
import { lastMessage, type OpenAiServer, startOpenAiServer } from '../../../../test/openai-server.ts'
import { plainImage } from '../../../../test/pictures.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'
import { writeWav } from '../../../../test/wav-files.ts'

let model: OpenAiServer
let server: TestApp
let account: TestAccount
let url: string
let client: ReturnType<typeof openAiClient>

beforeAll(async () => {
  model = await startOpenAiServer()
  server = await startTestApp({
    environment: { OPENAI_BASE_URL: model.baseUrl, CHAT_MODEL: 'test-model', TRANSCRIPTION_MODEL: 'test-whisper' },
    memoryTimeoutMs: 10_000,
  })
  url = await listen(server.app)
})
beforeEach(async () => {
  account = await server.createUser({ can_upload: true, can_use_agents: true, can_use_voice: true })
  client = openAiClient(url, await createApiToken(server, account, ['read', 'chat']))
})
afterEach(() => model.reset())
afterAll(async () => {
  await server.close()
  await model.close()
})

async function insertLease() {
  const { database } = server.context
  const item = await insertMediaItem(database, account.user.id, {
    mediaType: 'document',
    originalFilename: 'lease.pdf',
  })
  await insertMoment(database, item, {
    kind: 'text',
    body: 'The lease of the boathouse ends in October.',
    position: 1,
    page: 3,
  })
  return item.id
}

const sessions = async () =>
  (await server.request.get('/api/chat/sessions').auth(account.token, { type: 'bearer' }).expect(200)).body

test('lists the assistant first, then the connected models', async () => {
  const ids = (await client.models.list()).data.map(({ id }) => id)
  expect(ids).toEqual(['mira', ...model.models])
  expect(await client.models.retrieve('test-model')).toMatchObject({ id: 'test-model', object: 'model' })
})

describe('the assistant', () => {
  test('answers from memory with citations and stores nothing', async () => {
    const item = await insertLease()
    model.next({ text: 'It ends in October [1].', usage: { prompt_tokens: 20, completion_tokens: 6 } })
    const completion = await client.chat.completions.create({
      model: 'mira',
      messages: [
        { role: 'system', content: 'Answer like a pirate.' },
        ...ask('Hello'),
        { role: 'assistant', content: 'Ahoy.' },
        ...ask('When does the lease of the boathouse end?'),
      ],
    })
    expect(completion.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: {
        role: 'assistant',
        content: 'It ends in October [1].',
        annotations: [
          {
            type: 'url_citation',
            url_citation: { title: 'lease.pdf', url: `/gallery/${item}?page=3`, start_index: 19, end_index: 22 },
            media_id: item,
            page: 3,
          },
        ],
      },
    })
    expect(completion.usage).toEqual({ prompt_tokens: 20, completion_tokens: 6, total_tokens: 26 })
    const [request] = model.chats()
    expect(request?.body.messages?.[0]?.content).toContain('Answer like a pirate.')
    expect(request?.body.messages?.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user'])
    expect(lastMessage(request!)).toContain('The lease of the boathouse ends in October.')
    expect(JSON.stringify(completion)).not.toContain('signature')
    expect(await sessions()).toEqual([])
  })

  test('answers chat programs that send every parameter of the protocol and unknown ones', async () => {
    const readFileTool = { type: 'function' as const, function: { name: 'read_file', parameters: { type: 'object' } } }
    const call = { id: 'call_1', type: 'function' as const, function: { name: 'read_file', arguments: '{}' } }
    const everything = {
      ...{ tools: [readFileTool], tool_choice: 'auto' as const, parallel_tool_calls: true, max_completion_tokens: 100 },
      ...{ response_format: { type: 'text' as const }, reasoning_effort: 'low' as const, temperature: 0.2, top_p: 1 },
      ...{ max_tokens: 100, seed: 1, user: 'me', logprobs: false, service_tier: 'auto' as const, store: false },
      ...{ frequency_penalty: 0, presence_penalty: 0, logit_bias: {}, modalities: ['text' as const], n: 1 },
      ...{ thinking: { type: 'disabled' }, made_up: [1] },
    }
    model.next({ text: 'Hello.' })
    const completion = await client.chat.completions.create({
      ...everything,
      model: 'mira',
      messages: [
        { role: 'developer', content: [{ type: 'text', text: 'Answer like a pirate.' }] },
        ...ask('What is in it?'),
        // from another model that the user had picked before
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_1', content: 'A list.' },
        { role: 'assistant', content: 'A list of ships.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Thanks,' },
            { type: 'text', text: 'and hello' },
          ],
        },
      ],
    })
    expect(completion.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'Hello.' } })
    const [request] = model.chats()
    expect(request?.body.messages?.[0]?.content).toContain('Answer like a pirate.')
    const callMessage = request?.body.messages?.[2] as { tool_calls: { id: string }[] }
    const id = callMessage.tool_calls[0]?.id
    expect(request?.body.messages?.slice(1, -1)).toEqual([
      { role: 'user', content: 'What is in it?' },
      {
        ...{ role: 'assistant', content: null },
        tool_calls: [{ id, type: 'function', function: { name: 'read_file', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: id, content: 'A list.' },
      { role: 'assistant', content: 'A list of ships.' },
    ])
    expect(lastMessage(request!)).toContain('Thanks,\nand hello')
    expect(request?.body.tools?.map((tool) => tool.function.name)).toContain('read_file')
  })

  test('streams its text, with citations in the last chunk and token usage after it', async () => {
    const item = await insertLease()
    model.next({ text: 'It ends in October [1].', usage: { prompt_tokens: 20, completion_tokens: 6 } })
    const stream = await client.chat.completions.create({
      model: 'mira',
      messages: ask('When does the lease of the boathouse end?'),
      stream: true,
      stream_options: { include_usage: true },
    })
    const chunks = await collect(stream)
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('It ends in October [1].')
    const last = chunks.findLast(({ choices }) => choices.length > 0)
    expect(last?.choices[0]).toMatchObject({ finish_reason: 'stop', delta: { annotations: [{ media_id: item }] } })
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 26 } })
  })

  test('streams without a warning from Node, such as one about a leak', async () => {
    const warnings: Error[] = []
    const recordWarning = (warning: Error) => warnings.push(warning)
    process.on('warning', recordWarning)
    onTestFinished(() => void process.off('warning', recordWarning))
    model.next({ text: 'Hello yourself.' })
    await collect(await client.chat.completions.create({ model: 'mira', messages: ask('Hello there'), stream: true }))
    expect(warnings).toEqual([])
  })

  test('stores a conversation on request and continues it', async () => {
    model.next({ text: 'Hello yourself.' })
    const first = await client.chat.completions.create({ model: 'mira', messages: ask('Hello there'), store: true })
    const session_id = (first as unknown as { metadata: { session_id: string } }).metadata.session_id
    expect(await sessions()).toMatchObject([{ id: session_id, message_count: 2 }])
    model.next({ text: 'You said hello there.' })
    const stream = await client.chat.completions.create({
      model: 'mira',
      messages: ask('What did I say before?'),
      metadata: { session_id },
      stream: true,
    })
    const text = (await collect(stream)).map(({ choices }) => choices[0]?.delta.content ?? '').join('')
    expect(text).toBe('You said hello there.')
    expect(
      model
        .chats()
        .at(-1)
        ?.body.messages?.map(({ role }) => role),
    ).toEqual(['system', 'user', 'assistant', 'user'])
    expect(await sessions()).toMatchObject([{ id: session_id, message_count: 4 }])
  })

  test.each([true, false])('separates reasoning without an opening tag from the answer (stored: %s)', async (store) => {
    model.next({ text: ['They want a greeting', '.\n</thi', 'nk>\n\nHello', ' there.'] })
    const request = { model: 'mira', store, stop: ['STOP'], messages: ask('Say something nice') }
    const { choices } = await client.chat.completions.create(request)
    expect(choices[0]?.message).toMatchObject({
      content: 'Hello there.',
      reasoning_content: 'They want a greeting.\n',
    })
    // an answer without the tag resets what the server now assumes about the model
    await client.chat.completions.create(request)
  })

  test('accepts images as data URLs and refuses to fetch URLs', async () => {
    model.next({ text: 'A plain picture.' })
    const picture = await plainImage({ width: 40, height: 30 })
    const image_url = { url: `data:image/png;base64,${picture.toString('base64')}` }
    const content = [
      { type: 'text' as const, text: 'What is this?' },
      { type: 'image_url' as const, image_url },
    ]
    await client.chat.completions.create({ model: 'mira', messages: [{ role: 'user', content }] })
    expect(JSON.stringify(model.chats()[0]?.body.messages)).toContain('data:image/jpeg;base64,')
    for (const modelName of ['mira', 'test-model']) {
      const internalImage = [{ type: 'image_url' as const, image_url: { url: 'http://169.254.169.254/secrets' } }]
      const internalCompletion = client.chat.completions.create({
        model: modelName,
        messages: [{ role: 'user', content: internalImage }],
      })
      await expect(internalCompletion).rejects.toMatchObject({
        ...{ status: 400, code: 'picture_address_not_supported' },
        param: expect.stringContaining('messages.0.content.0'),
      })
    }
  })

  test('stops at the given stop sequence', async () => {
    model.next({ text: 'one two STOP three' })
    const { choices } = await client.chat.completions.create({
      model: 'mira',
      messages: ask('Count'),
      stop: ['STOP'],
    })
    expect(choices[0]?.message.content).toBe('one two ')
  })
})

test('relays a request with tools to a connected model and returns its calls, without storing anything', async () => {
  model.next({ calls: [{ name: 'weather', arguments: { city: 'Kiel' } }] })
  const stream = await client.chat.completions.create({
    model: 'test-model',
    messages: ask('Weather?'),
    temperature: 0.3,
    tools: [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }],
    store: true,
    metadata: { session_id: 'mine' },
    stream: true,
  })
  const calls = (await collect(stream)).flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? [])
  expect(calls[0]).toMatchObject({ function: { name: 'weather' } })
  const body = model.chats()[0]?.body as Record<string, unknown>
  expect(body).toMatchObject({ model: 'test-model', temperature: 0.3, tools: [{ function: { name: 'weather' } }] })
  expect(body.store).toBeUndefined()
  expect(body.metadata).toBeUndefined()
  expect(await sessions()).toEqual([])
})

test('embeds texts with a connected model', async () => {
  const { data } = await client.embeddings.create({ model: 'test-embedding', input: ['red boat', 'blue boat'] })
  expect(data.map(({ embedding }) => embedding.length > 0)).toEqual([true, true])
  const exact = { model: 'test-embedding', input: [[1, 2], [3]], dimensions: 8, encoding_format: 'base64' as const }
  await client.embeddings.create(exact)
  expect(model.requests.at(-1)?.body).toMatchObject(exact)
})

test('transcribes a recording in the requested format', async () => {
  const segments = [{ start: 0, end: 1, text: ' Erinnere mich.' }]
  model.transcriptions = { segments, language: 'german' }
  const recording = await readFile(writeWav([{ seconds: 2 }], 8000))
  const input = { file: new File([recording], 'said.wav'), model: 'whisper-1' }
  const transcribe = client.audio.transcriptions
  expect(await transcribe.create({ ...input, language: 'de' })).toEqual({ text: 'Erinnere mich.' })
  expect(model.requests.at(-1)?.body).toMatchObject({ language: 'de', file: { seconds: 2 } })
  expect(await transcribe.create({ ...input, response_format: 'text' })).toBe('Erinnere mich.\n')
  expect(await transcribe.create({ ...input, response_format: 'verbose_json' })).toMatchObject({
    task: 'transcribe',
    text: 'Erinnere mich.',
    language: 'de',
    duration: 2,
    segments: [{ id: 0, start: 0, end: 1, text: 'Erinnere mich.', tokens: [] }],
  })
  expect(await transcribe.create({ ...input, response_format: 'srt' })).toBe(
    '1\n00:00:00,000 --> 00:00:01,000\nErinnere mich.\n',
  )
  expect(await transcribe.create({ ...input, response_format: 'vtt' })).toBe(
    'WEBVTT\n\n00:00:00.000 --> 00:00:01.000\nErinnere mich.\n',
  )
  const unknownFormat = transcribe.create({ ...input, response_format: 'diarized_json' as 'json' })
  await expect(unknownFormat).rejects.toMatchObject({ status: 400, param: 'response_format' })
  const notAudio = transcribe.create({ ...input, file: new File(['Not a recording.'], 'said.wav') })
  await expect(notAudio).rejects.toMatchObject({ status: 415, type: 'invalid_request_error' })
})

test('streams a transcript on request', async () => {
  model.transcriptions = { segments: [{ start: 0, end: 1, text: ' Erinnere mich.' }], language: 'german' }
  const file = new File([await readFile(writeWav([{ seconds: 2 }], 8000))], 'said.wav')
  const stream = await client.audio.transcriptions.create({ file, model: 'whisper-1', stream: true })
  const events: unknown[] = []
  for await (const event of stream) events.push(event)
  expect(events).toEqual([
    { type: 'transcript.text.delta', delta: 'Erinnere mich.' },
    { type: 'transcript.text.done', text: 'Erinnere mich.' },
  ])
})

test('aborts the model’s request when the program disconnects', async () => {
  model.next({ text: ['one ', 'two '], hang: 1 })
  const stream = await client.chat.completions.create({ model: 'mira', messages: ask('Count'), stream: true })
  for await (const { choices } of stream) if (choices[0]?.delta.content) break
  const request = model.chats()[0]!
  await expect.poll(() => request.abandonedAt).toBeDefined()
})
