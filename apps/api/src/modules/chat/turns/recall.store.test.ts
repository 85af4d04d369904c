import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../../test/database-template.ts'
import { insertUser, insertUserWithMostMessages } from '../../../../test/factories.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { createRecallStore, type RecallStore } from './recall.store.ts'

let database: TestDatabase
/** Searches the index of all users' messages. */
let recall: RecallStore
/** Reads only the user's own messages. */
let recallOwn: RecallStore
let userId: string

beforeAll(async () => {
  database = await openTestDatabase()
  recall = createRecallStore({ ...database, engine: 'embedded' })
  recallOwn = createRecallStore({ ...database, engine: 'server' })
  await insertUserWithMostMessages(database)
})
beforeEach(async () => {
  userId = (await insertUser(database)).id
})
afterAll(() => database.close())

/** Inserts a conversation of alternating messages; returns its id and its newest message's. */
async function insertConversation(
  contents: string[],
  { configuration = 'english', engine = 'remote', owner = userId } = {},
) {
  const session = await database.prisma.chatSession.create({ data: { userId: owner, sessionName: contents[0] ?? '' } })
  let parentId: string | null = null
  for (const [index, content] of contents.entries()) {
    const id = newId()
    await database.pool.query(
      `INSERT INTO chat_messages (id, session_id, parent_id, role, content, lang, engine)
       VALUES ($1, $2, $3, $4, $5, $6::text::regconfig, $7)`,
      [id, session.id, parentId, index % 2 ? 'assistant' : 'user', content, configuration, index % 2 ? engine : null],
    )
    parentId = id
  }
  return { sessionId: session.id, lastId: parentId! }
}

const search = async (text: string, searchConfiguration = 'english', exceptMessageId = newId()) => {
  const query = { userId, text, searchConfiguration, exceptMessageId, exceptSessionId: null, limit: 5 }
  const hits = await recall.search(query)
  expect(await recallOwn.search(query)).toEqual(hits)
  return hits.map(({ snippet }) => snippet)
}

describe('searching a user’s conversations', () => {
  test('finds a message with most of the question’s words, in any inflection', async () => {
    await insertConversation(['My dentists moved the appointment to Tuesday'])
    await insertConversation(['I like cheese'])
    expect(await search('When is my dentist appointment?')).toEqual(['My dentists moved the appointment to Tuesday'])
  })

  test('finds what was said before earlier questions about it, and ignores words that only frame the question', async () => {
    await insertConversation(['The wifi password at grandma’s is bluebird-7'])
    for (const question of ['What’s the wifi password?', 'Is there a wifi password at grandma’s?', 'wifi password?'])
      await insertConversation([question])
    expect((await search('What did I write about the wifi password at grandma’s?'))[0]).toContain('bluebird-7')
    expect(await search('What did I write about wifi?')).toHaveLength(4)
  })

  test('finds conversations of a time behind many newer messages, and others behind many of the current one', async () => {
    const { sessionId } = await insertConversation(['The dentist said to brush more'])
    await database.pool.query(`UPDATE chat_messages SET created_at = '2026-05-10' WHERE session_id = $1`, [sessionId])
    const { sessionId: current } = await insertConversation(Array.from({ length: 8 }, (_, i) => `The dentist, ${i}`))
    const query = { userId, text: 'dentist', searchConfiguration: 'english', exceptMessageId: newId(), limit: 5 }
    const inMay = { from: new Date('2026-05-01'), to: new Date('2026-06-01'), exceptSessionId: null }
    for (const more of [inMay, { exceptSessionId: current }])
      for (const store of [recall, recallOwn])
        expect(await store.search({ ...query, ...more })).toMatchObject([{ snippet: 'The dentist said to brush more' }])
  })

  test('finds slightly misspelled words', async () => {
    await insertConversation(['The restaurant in Lyon was called Brasserie Georges'])
    expect(await search('What was the name of the restaurnt in Lyon?')).toHaveLength(1)
  })

  test('matches misspelled words only at the beginning of a text, so that long ones take no longer', async () => {
    const filler = 'Something else entirely. '.repeat(300)
    await insertConversation([`The restaurant was lovely. ${filler}`])
    await insertConversation([`${filler} The restaurant was lovely.`])
    expect(await search('restaurnt')).toHaveLength(1)
  })

  test.each([
    ['spanish', '¿Cuándo son las citas con el dentista?', 'La cita con el dentista es el martes'],
    ['french', 'Quand sont mes rendez-vous chez le dentiste ?', 'Le rendez-vous chez le dentiste est mardi'],
    ['german', 'Wann sind die Termine beim Zahnarzt?', 'Der Termin beim Zahnarzt ist am Dienstag'],
  ])('knows the inflections of %s', async (configuration, question, answer) => {
    await insertConversation([answer], { configuration })
    await insertConversation(['Etwas anderes, otra cosa, autre chose'], { configuration })
    expect(await search(question, configuration)).toEqual([answer])
  })

  test('finds nothing for stop words only, or when most words are missing', async () => {
    await insertConversation(['The weather is the best in the south and it is what it is'])
    expect(await search('What is it?')).toEqual([])
    expect(await search('')).toEqual([])
    expect(await search('Which chess opening beats the Sicilian in the south?')).toEqual([])
  })

  test('never returns the question itself, or quotes of the built-in engine', async () => {
    const { lastId } = await insertConversation(['Where is the spare key?'])
    await insertConversation(['x', 'I found: the spare key is where it is'], { engine: 'built-in' })
    expect(await search('Where is the spare key?', 'english', lastId)).toEqual([])
  })

  test('never returns the same question asked before', async () => {
    await insertConversation(['When is the dentist?'])
    await insertConversation([' when is the DENTIST', 'On Tuesday, says the dentist.'])
    expect(await search('When is the dentist?')).toEqual(['On Tuesday, says the dentist.'])
  })

  test('never searches other users’ conversations', async () => {
    const stranger = await insertUser(database)
    await insertConversation(['The spare key is under the stone'], { owner: stranger.id })
    expect(await search('Where is the spare key?')).toEqual([])
  })

  test('quotes the relevant part of a long message', async () => {
    const filler = 'This sentence is about something else entirely. '.repeat(30)
    await insertConversation([`${filler}The spare key is under the stone. ${filler}`])
    const [snippet] = await search('Where is the spare key?')
    expect(snippet).toContain('spare key is under the stone')
    expect(snippet!.length).toBeLessThan(400)
  })

  test('accepts any text as a question', async () => {
    await insertConversation(["It's a (strange) & 'quoted' \\ text: a|b !c <-> d"])
    for (const text of ["'", '\\', "a' & !b | (c <-> d):*", 'x'.repeat(5000), '🌊', '%_']) await search(text)
    expect(await search("strange 'quoted' text")).toHaveLength(1)
  })
})

describe('finding conversations about a question', () => {
  const march = { first: '2025-03-01', last: '2025-03-31', isYearly: false }
  const talks = async (text: string, more: Partial<Parameters<RecallStore['findConversations']>[0]> = {}) => {
    const query = {
      ...{
        userId,
        question: text,
        text,
        searchConfiguration: 'english',
        exceptSessionId: null,
        days: [],
        timeZone: 'UTC',
        limit: 3,
      },
      ...more,
    }
    const hits = await recall.findConversations(query)
    expect(await recallOwn.findConversations(query)).toEqual(hits)
    return hits
  }
  const dateTalk = (sessionId: string, day: string) =>
    database.pool.query('UPDATE chat_messages SET created_at = $2 WHERE session_id = $1', [sessionId, new Date(day)])

  test('prefers those with the rarer words, each with its best matching message', async () => {
    await insertConversation([
      'My ankle hurts',
      'Draw circles with your foot, and stretch the calf.',
      'How often?',
      'Twice a day.',
    ])
    await insertConversation(['Which exercise is good for the back?', 'Swimming is an exercise without strain.'])
    await insertConversation(['Which exercise is good for the neck?', 'Any exercise in the morning.'])
    const hits = await talks('Which stretches of the calf were good for the ankle?')
    expect(hits[0]?.snippet).toBe('Draw circles with your foot, and stretch the calf.')
    expect(hits[0]?.share).toBeGreaterThan(hits[1]?.share ?? 1)
  })

  test('leaves out the question’s own conversation, other users’ ones, and those without its words', async () => {
    const { sessionId } = await insertConversation(['The spare key is under the stone'])
    const stranger = await insertUser(database)
    await insertConversation(['The spare key is in the shed'], { owner: stranger.id })
    await insertConversation(['I like cheese'])
    expect(await talks('Where is the spare key?', { exceptSessionId: sessionId })).toEqual([])
    expect(await talks('Where is the spare key?')).toHaveLength(1)
    expect(await talks('What is it?')).toEqual([])
  })

  test('prefers those of the time that the question mentions', async () => {
    const [earlier, later] = [
      await insertConversation(['The film was good']),
      await insertConversation(['The film was good, too']),
    ]
    await dateTalk(earlier.sessionId, '2025-03-04')
    await dateTalk(later.sessionId, '2025-05-04')
    const firstWith = async (days: (typeof march)[]) => (await talks('Which film was good?', { days }))[0]?.sessionId
    expect(await firstWith([march])).toBe(earlier.sessionId)
    expect(await firstWith([{ first: '2026-05-01', last: '2026-05-31', isYearly: true }])).toBe(later.sessionId)
  })

  test('leaves out the same question, also when only a part of it is searched for', async () => {
    await insertConversation(['Which injury did Evan have in August 2023?', 'I found nothing about that.'])
    await insertConversation(['Evan has a sprained wrist, his worst injury'])
    const hits = await talks('Which injury did Evan have?', { question: 'Which injury did Evan have in August 2023?' })
    expect(hits.map(({ snippet }) => snippet)).toEqual(['Evan has a sprained wrist, his worst injury'])
  })

  test('accepts any text as a question', async () => {
    await insertConversation(["It's a (strange) & 'quoted' \\ text: a|b !c <-> d"])
    for (const text of ["'", '\\', "a' & !b | (c <-> d):*", 'x'.repeat(5000), '🌊', '%_']) await talks(text)
    expect(await talks("strange 'quoted' text here")).toHaveLength(1)
  })
})

describe('messages near a found one', () => {
  test('are those of its user before and after it, nearest first, without those of other days and the built-in engine’s answers', async () => {
    const { sessionId, lastId } = await insertConversation(['one', 'two', 'three', 'four', `five ${'x'.repeat(500)}`])
    const { rows } = await database.pool.query<{ id: string; parent_id: string }>(
      `SELECT id, parent_id FROM chat_messages WHERE id = (SELECT parent_id FROM chat_messages WHERE id = $1)`,
      [lastId],
    )
    const [four] = rows
    const addReply = (content: string, createdAt: string, engine: string | null) =>
      database.pool.query(
        `INSERT INTO chat_messages (id, session_id, parent_id, role, content, engine, created_at)
         VALUES ($1, $2, $3, 'assistant', $4, $5, $6)`,
        [newId(), sessionId, four?.parent_id, content, engine, createdAt],
      )
    await addReply('an older answer', '2020-01-01', 'remote')
    const near = async (id: string | null | undefined) =>
      (await recall.readNearby(userId, [id ?? ''])).map(({ offset, role, text }) => [offset, role, text.slice(0, 20)])
    expect(await near(four?.parent_id)).toEqual([
      [-1, 'assistant', 'two'],
      [1, 'assistant', 'four'],
      [-2, 'user', 'one'],
      [2, 'user', `five ${'x'.repeat(15)}`],
    ])
    expect(
      (await recall.readNearby(userId, [four?.parent_id ?? ''])).find(({ offset }) => offset === 2)?.text,
    ).toHaveLength(400)
    await addReply('a quote', '2999-01-01', 'built-in')
    expect(await near(four?.parent_id)).toEqual([
      [-1, 'assistant', 'two'],
      [-2, 'user', 'one'],
    ])
    expect(await recall.readNearby(userId, [])).toEqual([])
    expect(await recall.readNearby((await insertUser(database)).id, [four?.parent_id ?? ''])).toEqual([])
    await database.pool.query(
      `UPDATE chat_messages SET created_at = created_at - interval '3 days' WHERE content = 'one'`,
    )
    expect(await near(four?.parent_id)).toEqual([[-1, 'assistant', 'two']])
  })
})

describe('the history of a conversation', () => {
  test('is read up to a message, oldest first', async () => {
    const { lastId } = await insertConversation(['one', 'two', 'three'])
    expect(await recall.readHistory(lastId, 1000)).toMatchObject([
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'two' },
      { role: 'user', content: 'three' },
    ])
  })

  test('is read no further than needed', async () => {
    const { lastId } = await insertConversation(Array.from({ length: 100 }, (_, n) => `message ${n}`))
    const history = await recall.readHistory(lastId, 50)
    expect(history.length).toBeLessThan(8)
    expect(history.at(-1)?.content).toBe('message 99')
  })

  test('of a new conversation is empty', async () => {
    expect(await recall.readHistory(null, 1000)).toEqual([])
  })
})
