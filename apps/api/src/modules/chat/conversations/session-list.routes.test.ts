import type { ChatSessionJson, ChatStats } from '@mira/shared'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ChatClient, converse, createChatClient, listen } from '../../../../test/chat-client.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

let server: TestApp
let url: string
let account: TestAccount
let client: ChatClient

beforeAll(async () => {
  server = await startTestApp()
  url = await listen(server.app)
})
beforeEach(async () => {
  account = await server.createUser()
  client = createChatClient(url, account.token)
})
afterAll(() => server.close())

interface SessionTraits {
  name: string
  messages?: number
  tokens?: number
  durationMs?: number
  updatedAt?: Date
  completedAt?: Date
  agents?: string[]
  text?: string
}

/** Inserts a conversation with the given statistics. */
async function insertSession(traits: SessionTraits): Promise<string> {
  const { prisma } = server.context.database
  const updatedAt = traits.updatedAt ?? new Date()
  const session = await prisma.chatSession.create({
    data: { userId: account.user.id, sessionName: traits.name, updatedAt, completedAt: traits.completedAt ?? null },
  })
  for (let count = 0; count < (traits.messages ?? 1); count++) {
    const question = await prisma.chatMessage.create({
      data: { sessionId: session.id, role: 'user', content: traits.text ?? 'Something' },
    })
    await prisma.chatMessage.create({
      data: {
        sessionId: session.id,
        parentId: question.id,
        role: 'assistant',
        content: 'An answer',
        inputTokens: traits.tokens ?? 1,
        outputTokens: 2,
        durationMs: traits.durationMs ?? 1000,
        agentCalls: (traits.agents ?? []).map((name, index) => ({ call_id: `${index}`, name, state: 'finished' })),
      },
    })
  }
  return session.id
}

async function list(query = ''): Promise<{ names: string[]; sessions: ChatSessionJson[]; next: string | null }> {
  const { status, body, headers } = await client.call<ChatSessionJson[]>('GET', `/chat/sessions${query}`)
  expect(status).toBe(200)
  return { names: body.map(({ session_name }) => session_name), sessions: body, next: headers.get('x-next-cursor') }
}

describe('the list of conversations', () => {
  test('shows statistics', async () => {
    await insertSession({
      name: 'Figures',
      messages: 2,
      tokens: 10,
      durationMs: 1500,
      agents: ['NewsAgent', 'FileAgent'],
    })
    expect((await list()).sessions).toEqual([
      {
        id: expect.any(String),
        session_name: 'Figures',
        created_at: expect.any(String),
        updated_at: expect.any(String),
        message_count: 4,
        agent_used: 'FileAgent, NewsAgent',
        status: 'active',
        tokens_used: 24,
        avg_response_time: 1.5,
        sentiment: 'neutral',
        pinned: false,
        archived: false,
        tags: [],
        project_id: null,
        persona_id: null,
        snippet: null,
        snippet_message_id: null,
      },
    ])
  })

  test('is read page by page in every order, without gaps or duplicates', async () => {
    const times = [3, 1, 2, 2, 5]
    for (const [index, minutes] of times.entries()) {
      await insertSession({
        name: `Name ${(index * 3) % 5}`,
        messages: (index % 3) + 1,
        tokens: index * 7,
        durationMs: 1000 * (index % 2) + 1,
        updatedAt: new Date(Date.now() - minutes * 60_000),
      })
    }
    for (const sort of ['updated', 'name', 'messages', 'tokens', 'response_time']) {
      for (const order of ['asc', 'desc']) {
        const unpaged = await list(`?sort=${sort}&order=${order}`)
        expect(unpaged.next).toBe(null)
        const paged: string[] = []
        let next: string | null = null
        do {
          const page = await list(`?sort=${sort}&order=${order}&limit=2${next ? `&cursor=${next}` : ''}`)
          expect(page.sessions.length).toBeLessThanOrEqual(2)
          paged.push(...page.sessions.map(({ id }) => id))
          next = page.next
        } while (next)
        expect(paged).toEqual(unpaged.sessions.map(({ id }) => id))
        expect(paged).toHaveLength(5)
      }
    }
    const byTokens = (await list('?sort=tokens&order=desc')).sessions.map(({ tokens_used }) => tokens_used)
    expect(byTokens).toEqual(byTokens.toSorted((a, b) => b - a))
    expect((await list('?sort=name&order=asc')).names).toEqual(['Name 0', 'Name 1', 'Name 2', 'Name 3', 'Name 4'])
  })

  test('is sorted newest first, and a new message moves a conversation to the top', async () => {
    const first = await converse(client, 'First')
    await converse(client, 'Second')
    await converse(client, 'More', { sessionId: first.sessionId })
    expect((await list()).names).toEqual(['First', 'Second'])
  })

  test('can be filtered by active and completed', async () => {
    await insertSession({ name: 'Today' })
    await insertSession({ name: 'Yesterday', updatedAt: new Date(Date.now() - 25 * 3600_000) })
    await insertSession({ name: 'Marked', completedAt: new Date() })
    expect((await list('?status=active')).names).toEqual(['Today'])
    expect((await list('?status=completed&sort=name&order=asc')).names).toEqual(['Marked', 'Yesterday'])
    expect((await list('?status=completed')).sessions.every(({ status }) => status === 'completed')).toBe(true)
  })

  test('can be searched by inflected forms of words', async () => {
    await converse(client, 'The lighthouses are shining')
    expect((await list('?query=lighthouse+shine')).names).toEqual(['The lighthouses are shining'])
  })

  test('can be searched by name and text, including characters special to SQL', async () => {
    await insertSession({ name: 'Trip to Lyon' })
    await insertSession({ name: 'Plans', text: 'We should book two restaurants in Lyon' })
    await insertSession({ name: '100% sure_thing' })
    const search = async (query: string) =>
      (await list(`?query=${encodeURIComponent(query)}&sort=name&order=asc`)).names
    expect(await search('lyon')).toEqual(['Plans', 'Trip to Lyon'])
    expect(await search('100%')).toEqual(['100% sure_thing'])
    expect(await search('%')).toEqual(['100% sure_thing'])
    expect(await search('_')).toEqual(['100% sure_thing'])
    expect(await search("' OR 1=1 --")).toEqual([])
    expect(await search('zebra')).toEqual([])
  })

  test('can be filtered by agent', async () => {
    await insertSession({ name: 'With', agents: ['NewsAgent'] })
    await insertSession({ name: 'Without' })
    expect((await list('?agent=NewsAgent')).names).toEqual(['With'])
  })

  test.each(['x', Buffer.from('{"sort":"name","order":"asc","value":1,"id":"x"}').toString('base64url')])(
    'rejects the cursor %s',
    async (cursor) => {
      expect((await client.call('GET', `/chat/sessions?cursor=${cursor}`)).status).toBe(422)
    },
  )

  test('rejects a cursor of another order', async () => {
    for (const name of ['a', 'b']) await insertSession({ name })
    const { next } = await list('?limit=1&sort=name&order=asc')
    expect((await client.call('GET', `/chat/sessions?cursor=${next}`)).status).toBe(422)
  })

  test('has totals', async () => {
    await insertSession({ name: 'One', messages: 2, durationMs: 1000, agents: ['NewsAgent'] })
    await insertSession({ name: 'Two', durationMs: 4000, completedAt: new Date() })
    expect((await client.call<ChatStats>('GET', '/chat/stats')).body).toEqual({
      total_sessions: 2,
      active_sessions: 1,
      agent_usage: 2,
      avg_response_time: 2,
    })
  })

  test('has empty totals without conversations', async () => {
    expect((await client.call<ChatStats>('GET', '/chat/stats')).body).toEqual({
      total_sessions: 0,
      active_sessions: 0,
      agent_usage: 0,
      avg_response_time: null,
    })
  })

  test('supports deleting several at once, without counting unknown ids', async () => {
    const ids = [
      await insertSession({ name: 'a' }),
      await insertSession({ name: 'b' }),
      '01890000-0000-7000-8000-000000000000',
    ]
    const { body } = await client.call('POST', '/chat/sessions/delete', { ids })
    expect(body).toEqual({ deleted: 2 })
    expect((await list()).names).toEqual([])
  })
})
