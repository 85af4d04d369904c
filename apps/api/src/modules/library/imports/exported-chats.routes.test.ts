import { type ChatSessionDetailJson, MAX_PROJECTS, MAX_PROMPTS } from '@mira/shared'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readBinary } from '../../../../test/binary.ts'
import { zipOf } from '../../../../test/document-files.ts'
import {
  chatGptConversation,
  chatGptExport,
  claudeExport,
  libreChatExport,
  openWebUiExport,
} from '../../../../test/exported-chats.ts'
import { callsOf, conversationsOf, importCounts, importExport } from '../../../../test/import-client.ts'
import { plainImage } from '../../../../test/pictures.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

// Export formats of each program; imports.routes.test.ts covers resuming, ending and undoing imports.
let mira: TestApp
let picture: Buffer

beforeAll(async () => {
  mira = await startTestApp({ isStarted: true })
  picture = await plainImage({ width: 6, height: 4, format: 'png' })
})

afterAll(() => mira.close())

const as = (account: TestAccount) => callsOf(mira, account)
const runImport = (account: TestAccount, source: string, file: Buffer) => importExport(as(account), source, file)
const conversations = (account: TestAccount) => conversationsOf(as(account))

describe('a ChatGPT export', () => {
  test('is imported except for malformed conversations and images, which are listed', async () => {
    const anna = await mira.createUser()
    const odd = [chatGptConversation(), { title: 'Odd', mapping: 7 }]
    const result = await runImport(anna, 'chatgpt', await chatGptExport(Buffer.from('no picture'), odd))
    expect(importCounts(result)).toEqual({ state: 'done', found: 2, imported: 1, skipped: 0 })
    expect(result.failed.map(({ name }) => name)).toEqual(['Odd', 'Lighthouses: file-AbC123-tower.png'])
    expect(result.failed.every(({ told }) => told.length === 1)).toBe(true)
  })

  test('with cyclic and missing parents is imported', async () => {
    const anna = await mira.createUser()
    const message = (parent: string, text: string) => ({
      parent,
      message: { author: { role: 'user' }, content: { content_type: 'text', parts: [text] } },
    })
    const mapping = {
      a: message('b', 'one'),
      b: message('a', 'two'),
      c: message('nobody', 'three'),
      d: message('d', 'four'),
    }
    const circle = [{ id: 'circle', title: 'Circle', mapping }]
    expect(importCounts(await runImport(anna, 'chatgpt', Buffer.from(JSON.stringify(circle))))).toMatchObject({
      imported: 1,
    })
  })
})

test('imports the formats of Claude, Open WebUI and LibreChat', async () => {
  const anna = await mira.createUser()
  await runImport(anna, 'claude', await claudeExport())
  const openWebUiResult = await runImport(anna, 'open-webui', openWebUiExport(picture))
  const libreChatResult = await runImport(anna, 'librechat', libreChatExport())
  const otherExports = [libreChatExport({ isNested: true }), libreChatExport({ isNested: true, key: 'messagesTree' })]
  for (const file of otherExports)
    expect(importCounts(await runImport(anna, 'librechat', file))).toMatchObject({ skipped: 1 })
  const byName = new Map((await conversations(anna)).map((conversation) => [conversation.session_name, conversation]))
  // An updated artifact is shown in its new version, and `$&` in its text stays as it is.
  expect(byName.get('Bread')!.messages).toMatchObject([
    { role: 'user', content: 'How is bread made?\n\n*recipe.txt*\n\nFlour and water\n\nPasted\n\n*loaf.png*' },
    {
      role: 'assistant',
      content:
        'Hotter.\n\n*Oven*\n\n```python\ngrill(200)\n```\n\n*Oven*\n\n```python\ngrill($&230)\n```\n\n*notes/bread.md*\n\n# Bread',
      siblings: { index: 1, count: 2 },
    },
  ])
  const bread = byName.get('Bread')!
  await mira.request
    .patch(`/api/chat/sessions/${bread.id}`)
    .auth(anna.token, { type: 'bearer' })
    .send({ current_message_id: bread.messages[1]!.siblings.previous_id })
    .expect(200)
  const { body: before } = await as(anna).get(`/chat/sessions/${bread.id}`).expect(200)
  expect(before.messages[1]).toMatchObject({
    content: 'It is baked.\n\n*Oven*\n\n```python\nheat(200)\nbake()\n```',
    reasoning: 'They ask about bread.',
  })
  // An update applies to the artifact of its own branch, and tool calls add no text.
  expect(before.messages[3].siblings.count).toBe(1)
  expect(before.messages[3]).toMatchObject({ content: '*Oven*\n\n```python\nheat(180)\nbake()\n```' })
  expect(byName.get('A picture')).toMatchObject({
    archived: true,
    tags: ['kept'],
    messages: [
      { role: 'user', content: 'Look\n\n*notes.pdf*', images: [{ width: 6 }] },
      {
        role: 'assistant',
        content: 'Yes\n\n```python\n1 + 1\n```',
        reasoning: 'Is 1 < 2?\nYes.',
        siblings: { index: 1, count: 2 },
      },
    ],
  })
  expect(openWebUiResult.failed).toMatchObject([{ name: 'A picture: picture-2' }])
  expect(byName.get('Mornings')!.messages).toMatchObject([
    { role: 'user', content: 'Good morning', created_at: '2025-03-01T10:01:00.000Z' },
    {
      ...{ role: 'assistant', content: 'Good morning to you', model_used: 'gpt-4o', reasoning: 'A greeting.' },
      siblings: { index: 1, count: 2 },
    },
    { role: 'user', content: 'Thanks' },
  ])
  expect(libreChatResult.failed).toMatchObject([{ name: 'Mornings: dawn.png' }])
})

test('imports files whose names are cut before an emoji', async () => {
  const anna = await mira.createUser()
  const files = [
    { type: 'image', name: `${'n'.repeat(199)}🌊.png`, url: `data:image/png;base64,${picture.toString('base64')}` },
    { type: 'image', name: `${'n'.repeat(193)}🌊.png`, url: '/api/v1/files/1234/content' },
  ]
  const chat = { messages: [{ role: 'user', content: 'Look', files }] }
  const result = await runImport(anna, 'open-webui', Buffer.from(JSON.stringify([{ id: 'cut', title: 'Look', chat }])))
  expect(importCounts(result)).toMatchObject({ state: 'done', imported: 1 })
  expect(result.failed.map(({ name }) => name)).toEqual([`Look: ${'n'.repeat(193)}`])
})

test('imports a Mira export completely into another account, and not a second time into its own', async () => {
  const [anna, ben] = [await mira.createUser(), await mira.createUser()]
  await runImport(anna, 'chatgpt', await chatGptExport(picture))
  const project = await as(anna)
    .post('/projects')
    .send({ name: 'Rivers', instructions: 'Be brief.', search: 'tag:river' })
  const persona = await as(anna)
    .post('/personas')
    .send({ name: 'Guide', tools: ['search_memory'], starters: ['Where to?'] })
  await as(anna).post('/prompts').send({ title: 'A letter', command: 'letter', text: 'Write to {{name}}.' })
  const [conversation] = await conversations(anna)
  await mira.request
    .patch(`/api/chat/sessions/${conversation!.id}`)
    .auth(anna.token, { type: 'bearer' })
    .send({ tags: ['water'], archived: true, project_id: project.body.id, persona_id: persona.body.id })
    .expect(200)
  const { body: exported } = await as(anna).get('/me/export').buffer(true).parse(readBinary).expect(200)
  expect(importCounts(await runImport(anna, 'mira', exported as Buffer))).toEqual({
    state: 'done',
    found: 1,
    imported: 0,
    skipped: 1,
  })
  expect(importCounts(await runImport(ben, 'mira', exported as Buffer))).toEqual({
    state: 'done',
    found: 1,
    imported: 1,
    skipped: 0,
  })
  const [[theirs], [own]] = [await conversations(anna), await conversations(ben)]
  const messagesOf = (session: ChatSessionDetailJson) =>
    session.messages.map(({ role, content, created_at, model_used, siblings, images }) => ({
      ...{ role, content, created_at, model_used, pictures: images.length },
      siblings: [siblings.index, siblings.count],
    }))
  expect(messagesOf(own!)).toEqual(messagesOf(theirs!))
  expect(own!.created_at).toBe(theirs!.created_at)
  // With its project, persona and prompt, each once.
  await runImport(ben, 'mira', exported as Buffer)
  const [projects, personas, prompts] = await Promise.all(
    ['projects', 'personas', 'prompts'].map(async (name) => (await as(ben).get(`/${name}`).expect(200)).body[name]),
  )
  expect(projects).toMatchObject([{ name: 'Rivers', instructions: 'Be brief.', search: 'tag:river', limited: true }])
  expect(personas).toMatchObject([{ name: 'Guide', tools: ['search_memory'], starters: ['Where to?'] }])
  expect(prompts).toMatchObject([{ command: 'letter', text: 'Write to {{name}}.' }])
  expect(own).toMatchObject({
    tags: ['water'],
    archived: true,
    project_id: projects[0].id,
    persona_id: personas[0].id,
  })
  // At the limit of prompts it doesn't fail, since no prompt would be added.
  await mira.context.database.pool.query(
    `INSERT INTO prompts (id, user_id, title, command, text)
     SELECT gen_random_uuid(), $1, 'Prompt', 'prompt-' || n, 'Text' FROM generate_series(2, $2::int) n`,
    [ben.user.id, MAX_PROMPTS],
  )
  expect((await runImport(ben, 'mira', exported as Buffer)).failed).toEqual([])
  // At the limit of projects it reports the project that it can't add.
  const carl = await mira.createUser()
  await mira.context.database.pool.query(
    `INSERT INTO projects (id, user_id, name) SELECT gen_random_uuid(), $1, 'Project ' || n FROM generate_series(1, $2::int) n`,
    [carl.user.id, MAX_PROJECTS],
  )
  expect((await runImport(carl, 'mira', exported as Buffer)).failed).toMatchObject([
    { name: 'Rivers', told: [{ code: 'import_too_many', params: { max: MAX_PROJECTS } }] },
  ])
  // The exported project itself stays in its own account.
  expect(projects[0].id).not.toBe(project.body.id)
})

describe('nothing is imported from', () => {
  const validExport = () => chatGptExport(picture, [chatGptConversation(), chatGptConversation('conversation-2')])
  const files: [string, string, () => Promise<Buffer>, string][] = [
    ['a truncated ZIP', 'chatgpt', async () => (await validExport()).subarray(0, -40), 'import_damaged'],
    ['a truncated list', 'open-webui', async () => openWebUiExport(picture).subarray(0, -3), 'import_damaged'],
    [
      'a list that is malformed after its first conversation',
      'chatgpt',
      async () => zipOf({ 'conversations.json': `[${JSON.stringify(chatGptConversation())}, {"title": nonsense` }),
      'import_damaged',
    ],
    ['a ZIP of other files', 'mira', () => zipOf({ 'photo.jpg': picture }), 'import_other_source'],
    ['a file that isn’t text', 'librechat', async () => picture, 'import_damaged'],
    [
      'a small ZIP with a huge file inside',
      'chatgpt',
      () => zipOf({ 'conversations.json': Buffer.alloc(200_000_000, ' ') }),
      'import_too_large',
    ],
  ]
  test.each(files)('%s, and the reason is reported', async (_name, source, make, code) => {
    const anna = await mira.createUser()
    const failed = await runImport(anna, source, await make())
    expect(failed).toMatchObject({ state: 'failed', imported: 0, told: [{ code }] })
    expect(await conversations(anna)).toEqual([])
  })
})

test.each([
  ['claude', 'chatgpt', () => chatGptExport(picture, [chatGptConversation()])],
  ['chatgpt', 'claude', claudeExport],
  ['chatgpt', 'openwebui', async () => openWebUiExport(picture)],
  ['open-webui', 'librechat', async () => libreChatExport()],
  ['chatgpt', 'takeout', () => zipOf({ 'Takeout/Google Photos/a.png': picture, 'Takeout/archive_browser.html': 'x' })],
  ['claude', 'apple', () => zipOf({ 'Photos/Photo Details.csv': 'imgName,favorite', 'Photos/a.png': picture })],
])('rejects a file uploaded as %s that comes from %s, and names the actual source', async (source, actual, make) => {
  const anna = await mira.createUser()
  expect(await runImport(anna, source, await make())).toMatchObject({
    state: 'failed',
    imported: 0,
    told: [
      { code: 'import_other_source', params: { source: source.replace('-', '') } },
      { code: 'import_seems_of', params: { source: actual } },
    ],
  })
  expect(await conversations(anna)).toEqual([])
})
