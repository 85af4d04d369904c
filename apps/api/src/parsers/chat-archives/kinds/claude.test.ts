import { expect, test } from 'vitest'
import { conversationsIn, displayedMessages } from '../../../../test/archive-files.ts'
import { readClaude } from './claude.ts'

const FIRST = '00000000-0000-4000-8000-000000000000'
const at = (minute: number) => `2026-06-01T10:${`${minute}`.padStart(2, '0')}:00Z`
const message = (uuid: string, sender: string, minute: number, more: object = {}) => ({
  uuid,
  sender,
  text: uuid,
  created_at: at(minute),
  ...more,
})

async function displayed(...messages: unknown[]) {
  const [conversation] = await conversationsIn(readClaude, {
    'conversations.json': [{ uuid: 'c1', name: 'Bread', created_at: at(0), chat_messages: messages }],
    'users.json': [],
  })
  return conversation === undefined ? null : displayedMessages(conversation).map(({ content }) => content)
}

test('keeps a conversation together when an answer is missing from the export', async () => {
  expect(
    await displayed(
      message('one', 'human', 1, { parent_message_uuid: FIRST }),
      message('two', 'assistant', 2, { parent_message_uuid: 'one' }),
      message('three', 'human', 3, { parent_message_uuid: 'two' }),
      message('four', 'human', 5, { parent_message_uuid: 'missing' }),
    ),
  ).toEqual(['one', 'two', 'three\n\nfour'])
})

test('keeps an edited first message as a branch of its own', async () => {
  expect(
    await displayed(
      message('one', 'human', 1, { parent_message_uuid: FIRST }),
      message('two', 'assistant', 2, { parent_message_uuid: 'one' }),
      message('edited', 'human', 3, { parent_message_uuid: FIRST }),
    ),
  ).toEqual(['edited'])
})

test('keeps alternatives apart when what precedes them is missing or has an unusual id', async () => {
  const after = (parent: string) => ({ parent_message_uuid: parent })
  expect(
    await displayed(
      message('one', 'human', 1, after('root')),
      message('two', 'assistant', 2, after('one')),
      message('edited', 'human', 3, after('root')),
    ),
  ).toEqual(['edited'])
  expect(
    await displayed(
      message('one', 'human', 1, after(FIRST)),
      message('two', 'assistant', 2, after('one')),
      message('three', 'assistant', 4, after('missing')),
      message('four', 'assistant', 5, after('missing')),
      message('five', 'human', 6, after('four')),
    ),
  ).toEqual(['one', 'two', 'four', 'five'])
})

test('shows a conversation to its end when the dates are not in order', async () => {
  expect(
    await displayed(message('one', 'human', 1), message('two', 'assistant', 9), message('three', 'human', 3)),
  ).toEqual(['one', 'two', 'three'])
})

test('shows a list to its end when the displayed message is one within it', async () => {
  const [conversation] = await conversationsIn(readClaude, {
    'conversations.json': [
      {
        uuid: 'c1',
        name: 'Bread',
        current_leaf_message_uuid: 'one',
        chat_messages: [message('one', 'human', 1), message('two', 'assistant', 2)],
      },
    ],
    'users.json': [],
  })
  expect(conversation?.currentId).toBe('two')
})

test('skips what is malformed in a conversation', async () => {
  expect(
    await displayed(
      null,
      message('one', 'human', 1, { content: 'not a list', attachments: 7 }),
      { uuid: 'odd' },
      message('two', 'assistant', 2, { content: [{ type: 'text', text: null }] }),
    ),
  ).toEqual(['one', 'two'])
})

test('links the pages that an answer cites after their passages', async () => {
  const text = 'Bread is old. Ovens are hot.'
  const cite = (start: number, end: number, url: string) => ({
    start_index: start,
    end_index: end,
    details: { type: 'web_search_citation', url },
  })
  const citations = [
    cite(14, 27, 'https://ovens.example/(hot)'),
    cite(0, 12, 'https://www.bread.example/old'),
    cite(0, 12, 'https://grain.example'),
    cite(0, 12, 'https://grain.example'),
    // within a word, of no web page, and beyond the text
    cite(0, 17, 'javascript:alert(1)'),
    cite(0, 900, 'https://far.example'),
    { details: {} },
  ]
  expect(await displayed(message('one', 'assistant', 1, { content: [{ type: 'text', text, citations }] }))).toEqual([
    'Bread is old ([bread.example](https://www.bread.example/old), [grain.example](https://grain.example)). Ovens are hot ([ovens.example](https://ovens.example/%28hot%29)).',
  ])
  const inWord = [cite(0, 17, 'https://ovens.example')]
  expect(
    await displayed(message('one', 'assistant', 1, { content: [{ type: 'text', text, citations: inWord }] })),
  ).toEqual(['Bread is old. Ovens ([ovens.example](https://ovens.example)) are hot.'])
})

test('reads 50,000 citations of one passage without hanging', { timeout: 15_000 }, async () => {
  const citation = (_: unknown, count: number) => ({ end_index: 6, details: { url: `https://${count}.example` } })
  const citations = Array.from({ length: 50_000 }, citation)
  const [text] = (await displayed(
    message('one', 'assistant', 1, { content: [{ type: 'text', text: 'Bread.', citations }] }),
  )) as string[]
  expect(text?.match(/https/g)).toHaveLength(20)
})

test('reads a list that repeats a message to its end', async () => {
  expect(
    await displayed(
      message('one', 'human', 1),
      message('two', 'assistant', 2),
      message('one', 'human', 1),
      message('two', 'assistant', 2),
      message('three', 'human', 3),
    ),
  ).toEqual(['one', 'two', 'three'])
})

test('keeps the replies to a malformed message on its branch', async () => {
  const after = (parent: string) => ({ parent_message_uuid: parent })
  expect(
    await displayed(
      message('one', 'human', 1, after(FIRST)),
      message('malformed', 'assistant', 2, { ...after('one'), sender: 7 }),
      message('two', 'assistant', 3, after('one')),
      message('three', 'human', 4, after('two')),
      message('four', 'assistant', 5, after('malformed')),
    ),
  ).toEqual(['one', 'four'])
})

test('keeps a character whole when a citation ends within it', async () => {
  const citations = [{ end_index: 6, details: { url: 'https://ovens.example' } }]
  const content = [{ type: 'text', text: 'Oven 🍞.', citations }]
  expect(await displayed(message('one', 'assistant', 1, { content }))).toEqual([
    'Oven 🍞 ([ovens.example](https://ovens.example)).',
  ])
})

test('keeps questions before their answers when a list is out of order', async () => {
  const after = (parent: string) => ({ parent_message_uuid: parent })
  expect(
    await displayed(
      message('three', 'human', 3, after('two')),
      message('two', 'assistant', 2, after('one')),
      message('one', 'human', 1, after('root')),
    ),
  ).toEqual(['one', 'two', 'three'])
})

test('reads 10,000 documents in a row, and the first one’s change, without hanging', { timeout: 5_000 }, async () => {
  const call = (input: object) => ({ content: [{ type: 'tool_use', name: 'artifacts', input }] })
  const documents = Array.from({ length: 10_000 }, (_, count) =>
    message(`${count}`, 'assistant', 1, call({ id: `${count}`, type: 'text/markdown', content: `Loaf ${count}.` })),
  )
  const change = call({ id: '0', old_str: 'Loaf', new_str: 'Bun' })
  const [text] = (await displayed(...documents, message('change', 'assistant', 2, change))) as string[]
  expect(text?.startsWith('Loaf 0.\n\nLoaf 1.')).toBe(true)
  expect(text?.endsWith('Loaf 9999.\n\nBun 0.')).toBe(true)
})
