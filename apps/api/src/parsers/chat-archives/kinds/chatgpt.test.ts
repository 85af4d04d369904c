import { expect, test } from 'vitest'
import type { ArchiveFiles } from '../archive-files.ts'
import { readChatGpt } from './chatgpt.ts'

type Message = Record<string, unknown>

/** Messages read from an export of one conversation with these messages in sequence. */
async function messagesOf(...messages: Message[]) {
  const mapping = Object.fromEntries(
    messages.map((message, index) => [
      `${index}`,
      { parent: index === 0 ? null : `${index - 1}`, message: { create_time: index, metadata: {}, ...message } },
    ]),
  )
  const conversation = { id: 'c1', title: 'Figs', create_time: 1, update_time: 2, mapping, current_node: null }
  const files: ArchiveFiles = {
    names: () => ['conversations.json'],
    willRead: () => undefined,
    sizeOf: () => 0,
    async *pieces() {
      yield Buffer.from(JSON.stringify([conversation]))
    },
    close: () => undefined,
  }
  for await (const entry of readChatGpt(files)) if ('conversation' in entry) return entry.conversation.messages
  return []
}
const user = (text: string, metadata = {}) => ({
  author: { role: 'user' },
  content: { content_type: 'text', parts: [text] },
  metadata,
})
const answer = (text: string, metadata = {}) => ({ ...user(text, metadata), author: { role: 'assistant' } })
const contents = async (...messages: Message[]) => (await messagesOf(...messages)).map(({ content }) => content)

test('turns an answer’s sources into links and removes all other markers', async () => {
  const cited = '\uE200cite\uE202turn0search1\uE202turn0search4\uE201'
  const text = `Figs are fruits. ${cited} \uE200entity\uE202["people","Ada Lovelace","writer"]\uE201 ate \uE203two\uE204.\uE200image_group\uE202{"query":["figs"]}\uE201`
  const references = [
    { matched_text: cited, alt: '([Fruits](https://fruits.example))', type: 'grouped_webpages' },
    { matched_text: ' ', type: 'sources_footnote', alt: null },
  ]
  expect(await contents(user('Figs?'), answer(text, { content_references: references }))).toEqual([
    'Figs?',
    'Figs are fruits. ([Fruits](https://fruits.example)) Ada Lovelace ate two.',
  ])
})

test('turns a source into a link when its text spans several markers or has spaces around it', async () => {
  const [one, two, three] = [1, 2, 3].map((number) => `\uE200cite\uE202turn0search${number}\uE201`)
  const references = [
    { matched_text: one, alt: '[One](https://one.example)' },
    { matched_text: `${one}${two}`, alt: '[Both](https://both.example)' },
    { matched_text: ` ${two} ${three}\n`, alt: '[Apart](https://apart.example)' },
  ]
  const text = `Figs ${one}${two}, dates ${two} ${three} and plums ${one} ${three}.`
  expect(await contents(answer(text, { content_references: references }))).toEqual([
    'Figs [Both](https://both.example), dates [Apart](https://apart.example) and plums [One](https://one.example) .',
  ])
})

test('reads 200,000 markers in a row without hanging', async () => {
  const mark = '\uE200c\uE201'
  const references = Array.from({ length: 1_000 }, (_, count) => ({
    matched_text: `${mark.repeat(count)}x`,
    alt: 'fig',
  }))
  expect(await contents(answer(`Figs${mark.repeat(200_000)}`, { content_references: references }))).toEqual(['Figs'])
})

test('sources that contain or repeat their own marker can’t inflate an answer', async () => {
  const mark = '\uE200cite\uE202turn0search1\uE201'
  const doubling = { matched_text: mark, alt: `${mark}fig${mark}` }
  const references = Array.from({ length: 16 }, () => doubling)
  expect(await contents(answer(`Figs ${mark}`, { content_references: references }))).toEqual(['Figs fig'])
  const long = { matched_text: mark, alt: 'fig '.repeat(10_000) }
  const [repeated] = await contents(answer(mark.repeat(100), { content_references: [long] }))
  expect(repeated).toMatch(/^(?:fig )+fig$/)
  expect(repeated?.length).toBeLessThan(200_000)
})

test('includes canvas documents and their updates in the answer', async () => {
  const call = (recipient: string, input: unknown) => ({
    author: { role: 'assistant' },
    recipient,
    content: { content_type: 'code', language: 'json', text: JSON.stringify(input) },
  })
  const result = { author: { role: 'tool' }, content: { content_type: 'text', parts: ['Successfully created'] } }
  const newDocument = call('canmore.create_textdoc', {
    name: 'Fig jam',
    type: 'document',
    content: '# Jam\n\nTwo pounds of figs.',
  })
  const changes = call('canmore.update_textdoc', {
    updates: [{ pattern: '.*', multiple: false, replacement: '# Jam\n\nThree pounds of figs.' }],
  })
  const code = call('canmore.create_textdoc', { name: 'jam', type: 'code/python', content: 'print(3)' })
  const truncated = { ...newDocument, content: { content_type: 'code', text: '{"name": "Fig ja' } }
  expect(
    await contents(
      user('Jam'),
      newDocument,
      result,
      answer('Written.'),
      user('More'),
      changes,
      result,
      user('Code'),
      code,
      truncated,
    ),
  ).toEqual([
    'Jam',
    '*Fig jam*\n\n# Jam\n\nTwo pounds of figs.\n\nWritten.',
    'More',
    '# Jam\n\nThree pounds of figs.',
    'Code',
    '*jam*\n\n```python\nprint(3)\n```',
  ])
})

test('names attached files other than images, and skips a message of an unknown kind', async () => {
  const attachments = [
    { id: 'file-1', name: 'contract.pdf', mime_type: 'application/pdf' },
    { name: 'a.png', mimeType: 'image/png' },
  ]
  expect(await contents(user('Sum up', { attachments }), { author: 'me', content: 7 }, answer('Done.'))).toEqual([
    'Sum up\n\n*contract.pdf*',
    'Done.',
  ])
})
