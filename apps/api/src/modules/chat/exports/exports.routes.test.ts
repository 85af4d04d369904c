import { randomUUID } from 'node:crypto'
import { chatExportSchema } from '@mira/shared'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { insertChatSession, insertMessages, insertPicture } from '../../../../test/factories.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'
import { fileNameOf } from './exports.service.ts'

let server: TestApp
let account: TestAccount

beforeAll(async () => {
  server = await startTestApp()
})
beforeEach(async () => {
  account = await server.createUser({ full_name: 'Ada *Lovelace*' })
})
afterAll(() => server.close())

const exportSession = (sessionId: string, format?: string, headers: Record<string, string> = {}) =>
  server.request
    .get(`/api/chat/sessions/${sessionId}/export${format === undefined ? '' : `?format=${format}`}`)
    .auth(account.token, { type: 'bearer' })
    .set(headers)
    .buffer(true)
    .parse((response, callback) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => callback(null, text))
    })

/** Inserts a conversation with two branches, of which the second one is shown. */
async function insertBranches(name: string) {
  const { database } = server.context
  const { session, question, answer } = await insertChatSession(database, account.user.id, name)
  await insertPicture(database, account.user.id, question.id)
  await database.prisma.chatMessage.update({
    where: { id: question.id },
    data: { createdAt: new Date('2026-03-01T23:30:00Z') },
  })
  const currentMessage = await database.prisma.chatMessage.create({
    data: {
      sessionId: session.id,
      parentId: question.id,
      role: 'assistant',
      content: 'Look:\n\n```js\nlet light',
      state: 'interrupted',
      modelUsed: 'test_model',
      agentCalls: [
        { call_id: '1', name: 'CalculatorAgent', state: 'finished', arguments: { input: '15% of 80' }, summary: '12' },
      ],
      sources: [
        { n: 1, media_id: null, media_type: 'chat', title: 'Trip [x]', snippet: 'By sea', thumbnail: null, url: '/x' },
      ],
      createdAt: new Date('2026-03-01T23:31:00Z'),
    },
  })
  await database.prisma.chatSession.update({ where: { id: session.id }, data: { currentMessageId: currentMessage.id } })
  return { sessionId: session.id, question, answer, currentMessage }
}

describe('a Markdown export', () => {
  test('contains the branch that is shown, in the language and time zone of the caller', async () => {
    const { sessionId } = await insertBranches('Lighthouses #1')
    const headers = { 'x-time-zone': 'Europe/Berlin', 'accept-language': 'de' }
    const { status, body, headers: responseHeaders } = await exportSession(sessionId, undefined, headers)
    expect([status, responseHeaders['content-type']]).toEqual([200, 'text/markdown; charset=utf-8'])
    const [title, exported, ...rest] = (body as string).split('\n\n')
    expect(title).toBe('# Lighthouses \\#1')
    expect(exported).toMatch(/^\*Eine Unterhaltung mit Mira, exportiert .* \(Europe\/Berlin\)\*$/)
    expect(`\n${rest.join('\n\n')}`).toBe(`
## Ada \\*Lovelace\\* · 02.03.2026, 00:30

What is a lighthouse for?

*Bilder: picture-1.png*

## Mira · 02.03.2026, 00:31 · test\\_model

Look:

\`\`\`js
let light
\`\`\`

*[Unterbrochen]*

**Agenten**

- CalculatorAgent \`{"input":"15% of 80"}\`: 12

**Quellen**

1. Trip \\[x\\] – By sea
`)
  })

  test('shows code and HTML in a message as the chat does, and web sources with their URLs', async () => {
    const { database } = server.context
    const { session, question, answer } = await insertChatSession(database, account.user.id, 'Code')
    const contents = [
      '```SELECT * FROM t```\nwhy is <b>it</b> slow? <https://example.org>\n<?php\n`<i>`',
      '- ```html\n  <div>\n  ```\n<!-- so -->\n1. ~~~\n   <p>',
    ]
    for (const [index, { id }] of [question, answer].entries()) {
      const url = 'https://example.org/a b'
      const source = { n: 1, media_id: null, media_type: 'web', title: 'Page', snippet: 'Text', thumbnail: null, url }
      const data = { content: contents[index]!, sources: index === 0 ? [] : [source] }
      await database.prisma.chatMessage.update({ where: { id }, data })
    }
    const { body } = await exportSession(session.id)
    const [, first, second] = (body as string).split(/^## .*\n\n/m)
    expect(first).toBe('```SELECT * FROM t```\nwhy is \\<b>it\\</b> slow? <https://example.org>\n\\<?php\n`<i>`\n\n')
    expect(second).toContain('- ```html\n  <div>\n  ```\n\\<!-- so -->\n1. ~~~\n   <p>\n   ~~~\n')
    expect(second).toContain('1. Page <https://example.org/a%20b> – Text\n')
  })

  test('has a no-break space before colons in French', async () => {
    const { sessionId } = await insertBranches('Phares')
    const { body } = await exportSession(sessionId, undefined, { 'accept-language': 'fr' })
    expect(body).toContain('*Images\u00a0: picture-1.png*')
  })
})

describe('a JSON export', () => {
  test('contains every branch, matches the schema, and has no signed URLs that would expire', async () => {
    const { sessionId, question, answer, currentMessage } = await insertBranches('Lighthouses')
    const { status, body, headers } = await exportSession(sessionId, 'json')
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    const exported = chatExportSchema.parse(JSON.parse(body as string))
    expect(exported).toMatchObject({
      format: 'mira.chat',
      version: 1,
      current_message_id: currentMessage.id,
      session: { id: sessionId, session_name: 'Lighthouses', message_count: 3, pinned: false },
    })
    expect(exported.messages.map(({ id, parent_id, state }) => [id, parent_id, state])).toEqual([
      [question.id, null, 'complete'],
      [currentMessage.id, question.id, 'interrupted'],
      [answer.id, question.id, 'complete'],
    ])
    expect(exported.messages[0]?.images).toEqual([
      { name: 'picture-1.png', content_type: 'image/png', width: 6, height: 4 },
    ])
    expect(body).not.toContain('/images/')
  })
})

describe('a conversation of 10 000 messages', () => {
  test('is exported completely in both formats, and in order as Markdown', { timeout: 120_000 }, async () => {
    const { session } = await insertChatSession(server.context.database, account.user.id)
    await insertMessages(server.context.database, session.id, 10_000)
    const { body } = await exportSession(session.id)
    const numbers = [...(body as string).matchAll(/^Message (\d+)$/gm)].map(([, number]) => Number(number))
    expect(numbers).toEqual(Array.from({ length: 10_000 }, (_, index) => index))
    const { messages } = chatExportSchema.parse(JSON.parse((await exportSession(session.id, 'json')).body as string))
    expect(messages).toHaveLength(10_002)
    expect(new Set(messages.map(({ id }) => id)).size).toBe(10_002)
  })
})

test('a conversation without messages can be exported', async () => {
  const { database } = server.context
  const { id } = await database.prisma.chatSession.create({ data: { userId: account.user.id, sessionName: 'Empty' } })
  expect((await exportSession(id)).body).toMatch(/^# Empty\n/)
  expect(chatExportSchema.parse(JSON.parse((await exportSession(id, 'json')).body as string)).messages).toEqual([])
})

test('returns 404 for another user’s conversation and 422 for an unknown format', async () => {
  const stranger = await server.createUser()
  const { session } = await insertChatSession(server.context.database, stranger.user.id)
  expect((await exportSession(session.id)).status).toBe(404)
  expect((await exportSession(randomUUID(), 'json')).status).toBe(404)
  expect((await exportSession(session.id, 'pdf')).status).toBe(422)
})

test('the file is named after the conversation, in any script', async () => {
  const { session } = await insertChatSession(server.context.database, account.user.id, 'Über "Lyon"/東京\r\nX: y')
  const { headers } = await exportSession(session.id, 'json')
  expect(headers['content-disposition']).toBe(
    `attachment; filename="_ber Lyon __ X y.json"; filename*=UTF-8''%C3%9Cber%20Lyon%20%E6%9D%B1%E4%BA%AC%20X%20y.json`,
  )
})

test.each([
  ['../../etc/passwd', 'etc passwd'],
  ['  ...  ', 'conversation'],
  ['', 'conversation'],
  ['CON', 'conversation CON'],
  ['nul.txt', 'conversation nul.txt'],
  ['a\u202Etxt.exe\0', 'a txt.exe'],
  ['x'.repeat(300), 'x'.repeat(80)],
  ['🌊'.repeat(100), '🌊'.repeat(50)],
])('the title %j becomes the file name %j', (title, name) => {
  expect(fileNameOf(title)).toBe(name)
})
