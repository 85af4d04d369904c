import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../../test/database-template.ts'
import { insertCrowd, insertUser } from '../../../../test/factories.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { createRecallStore, type RecallStore } from './recall.store.ts'

let database: TestDatabase
/** Looks words up in the index of everybody's messages. */
let recall: RecallStore
/** Reads the user's own messages instead. */
let recallOwn: RecallStore
let userId: string

beforeAll(async () => {
  database = await openTestDatabase()
  recall = createRecallStore({ ...database, engine: 'embedded' })
  recallOwn = createRecallStore({ ...database, engine: 'server' })
  await insertCrowd(database)
})
beforeEach(async () => {
  userId = (await insertUser(database)).id
})
afterAll(() => database.close())

/** Stores a conversation of alternating messages; its newest message. */
async function say(contents: string[], { configuration = 'english', engine = 'remote', owner = userId } = {}) {
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
  const query = { userId, text, searchConfiguration, exceptMessageId, limit: 5 }
  const found = await recall.search(query)
  expect(await recallOwn.search(query)).toEqual(found)
  return found.map(({ snippet }) => snippet)
}

describe('searching a person’s conversations', () => {
  test('finds a message that holds most of the question’s words, in any form', async () => {
    await say(['My dentists moved the appointment to Tuesday'])
    await say(['I like cheese'])
    expect(await search('When is my dentist appointment?')).toEqual(['My dentists moved the appointment to Tuesday'])
  })

  test('finds words that are spelled nearly right', async () => {
    await say(['The restaurant in Lyon was called Brasserie Georges'])
    expect(await search('What was the name of the restaurnt in Lyon?')).toHaveLength(1)
  })

  test('looks for misspelled words in the beginning of a text, so that long ones take no longer', async () => {
    const filler = 'Something else entirely. '.repeat(300)
    await say([`The restaurant was lovely. ${filler}`])
    await say([`${filler} The restaurant was lovely.`])
    expect(await search('restaurnt')).toHaveLength(1)
  })

  test.each([
    ['spanish', '¿Cuándo son las citas con el dentista?', 'La cita con el dentista es el martes'],
    ['french', 'Quand sont mes rendez-vous chez le dentiste ?', 'Le rendez-vous chez le dentiste est mardi'],
    ['german', 'Wann sind die Termine beim Zahnarzt?', 'Der Termin beim Zahnarzt ist am Dienstag'],
  ])('knows the words of %s', async (configuration, question, answer) => {
    await say([answer], { configuration })
    await say(['Etwas anderes, otra cosa, autre chose'], { configuration })
    expect(await search(question, configuration)).toEqual([answer])
  })

  test('finds nothing by words that say nothing, or when most words are missing', async () => {
    await say(['The weather is the best in the south and it is what it is'])
    expect(await search('What is it?')).toEqual([])
    expect(await search('')).toEqual([])
    expect(await search('Which chess opening beats the Sicilian in the south?')).toEqual([])
  })

  test('never answers with the question itself, nor with quotes of the built-in engine', async () => {
    const { lastId } = await say(['Where is the spare key?'])
    await say(['x', 'I found: the spare key is where it is'], { engine: 'built-in' })
    expect(await search('Where is the spare key?', 'english', lastId)).toEqual([])
  })

  test('never answers with the same question, asked before', async () => {
    await say(['When is the dentist?'])
    await say([' when is the DENTIST', 'On Tuesday, says the dentist.'])
    expect(await search('When is the dentist?')).toEqual(['On Tuesday, says the dentist.'])
  })

  test('never looks into the conversations of others', async () => {
    const stranger = await insertUser(database)
    await say(['The spare key is under the stone'], { owner: stranger.id })
    expect(await search('Where is the spare key?')).toEqual([])
  })

  test('quotes the part of a long message that matters', async () => {
    const filler = 'This sentence is about something else entirely. '.repeat(30)
    await say([`${filler}The spare key is under the stone. ${filler}`])
    const [snippet] = await search('Where is the spare key?')
    expect(snippet).toContain('spare key is under the stone')
    expect(snippet!.length).toBeLessThan(400)
  })

  test('takes any text as a question', async () => {
    await say(["It's a (strange) & 'quoted' \\ text: a|b !c <-> d"])
    for (const text of ["'", '\\', "a' & !b | (c <-> d):*", 'x'.repeat(5000), '🌊', '%_']) await search(text)
    expect(await search("strange 'quoted' text")).toHaveLength(1)
  })
})

describe('looking for conversations about a question', () => {
  const march = { first: '2025-03-01', last: '2025-03-31', isYearly: false }
  const talks = async (text: string, more: Partial<Parameters<RecallStore['findTalks']>[0]> = {}) => {
    const query = {
      ...{ userId, text, searchConfiguration: 'english', exceptSessionId: null, days: [], timeZone: 'UTC', limit: 3 },
      ...more,
    }
    const found = await recall.findTalks(query)
    expect(await recallOwn.findTalks(query)).toEqual(found)
    return found
  }
  const dateTalk = (sessionId: string, day: string) =>
    database.pool.query('UPDATE chat_messages SET created_at = $2 WHERE session_id = $1', [sessionId, new Date(day)])

  test('finds those with the rarer words, each as the message that fits best', async () => {
    await say(['My ankle hurts', 'Draw circles with your foot, and stretch the calf.', 'How often?', 'Twice a day.'])
    await say(['Which exercise is good for the back?', 'Swimming is an exercise without strain.'])
    await say(['Which exercise is good for the neck?', 'Any exercise in the morning.'])
    const found = await talks('Which stretches of the calf were good for the ankle?')
    expect(found[0]?.snippet).toBe('Draw circles with your foot, and stretch the calf.')
    expect(found[0]?.share).toBeGreaterThan(found[1]?.share ?? 1)
  })

  test('leaves out the question’s own conversation, those of others, and what holds none of its words', async () => {
    const { sessionId } = await say(['The spare key is under the stone'])
    const stranger = await insertUser(database)
    await say(['The spare key is in the shed'], { owner: stranger.id })
    await say(['I like cheese'])
    expect(await talks('Where is the spare key?', { exceptSessionId: sessionId })).toEqual([])
    expect(await talks('Where is the spare key?')).toHaveLength(1)
    expect(await talks('What is it?')).toEqual([])
  })

  test('prefers those of a time that the question speaks of', async () => {
    const [earlier, later] = [await say(['The film was good']), await say(['The film was good, too'])]
    await dateTalk(earlier.sessionId, '2025-03-04')
    await dateTalk(later.sessionId, '2025-05-04')
    const firstWith = async (days: (typeof march)[]) => (await talks('Which film was good?', { days }))[0]?.sessionId
    expect(await firstWith([march])).toBe(earlier.sessionId)
    expect(await firstWith([{ first: '2026-05-01', last: '2026-05-31', isYearly: true }])).toBe(later.sessionId)
  })

  test('takes any text as a question', async () => {
    await say(["It's a (strange) & 'quoted' \\ text: a|b !c <-> d"])
    for (const text of ["'", '\\', "a' & !b | (c <-> d):*", 'x'.repeat(5000), '🌊', '%_']) await talks(text)
    expect(await talks("strange 'quoted' text here")).toHaveLength(1)
  })
})

describe('the history of a conversation', () => {
  test('is read up to a message, oldest first', async () => {
    const { lastId } = await say(['one', 'two', 'three'])
    expect(await recall.readHistory(lastId, 1000)).toMatchObject([
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'two' },
      { role: 'user', content: 'three' },
    ])
  })

  test('is read no further than needed', async () => {
    const { lastId } = await say(Array.from({ length: 100 }, (_, n) => `message ${n}`))
    const history = await recall.readHistory(lastId, 50)
    expect(history.length).toBeLessThan(8)
    expect(history.at(-1)?.content).toBe('message 99')
  })

  test('of a new conversation is empty', async () => {
    expect(await recall.readHistory(null, 1000)).toEqual([])
  })
})
