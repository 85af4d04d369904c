import { expect, test } from 'vitest'
import { conversationsIn } from '../../../../test/archive-files.ts'
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
  return (await conversationsIn(readChatGpt, { 'conversations.json': [conversation] }))[0]?.messages ?? []
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

test('reads 400,000 sources of one marker without hanging', { timeout: 40_000 }, async () => {
  const mark = '\uE200c\uE201'
  const references = Array.from({ length: 400_000 }, (_, count) => ({ matched_text: mark, alt: ` ${count}` }))
  const [text] = await contents(answer(`Figs${mark.repeat(400_000)}`, { content_references: references }))
  expect(text).toMatch(/^Figs 0 1 2 .* 399999$/)
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

const [OPENING, CLOSING] = ['\u3010', '\u3011']

test('turns sources of 2023 into links, and removes those that are unknown', async () => {
  const mark = (number: number, name = 'source') => `${OPENING}${number}\u2020${name}${CLOSING}`
  const text = `🌿 Figs ripen in autumn${mark(4)}, dates ${mark(5)}too${mark(6)}. ${OPENING}Plums${CLOSING} don’t${mark(7, 'list.pdf')}.`
  // positions are those of characters: the leaf counts as one
  const cite = (marker: string, metadata: object) => {
    const start = [...text.slice(0, text.indexOf(marker))].length
    return { start_ix: start, end_ix: start + marker.length, metadata }
  }
  const citations = [
    cite(mark(4), { type: 'webpage', title: 'Figs [fresh]', url: 'https://figs.example/a_(b)' }),
    cite(mark(5), { type: 'webpage', title: '', url: 'https://www.dates.example/' }),
    cite(mark(7, 'list.pdf'), { type: 'file', name: 'list.pdf' }),
    { start_ix: 0, end_ix: 4, invalid_reason: 'Unsupported' },
  ]
  expect(await contents(answer(text, { citations }))).toEqual([
    `🌿 Figs ripen in autumn ([Figs \\[fresh\\]](https://figs.example/a_%28b%29)), dates ([dates.example](https://www.dates.example/))too. ${OPENING}Plums${CLOSING} don’t (*list.pdf*).`,
  ])
})

test('links each occurrence of a repeated marker to its own source', async () => {
  const mark = '\uE200cite\uE202turn0search0\uE201'
  const references = ['Figs', 'Dates'].map((name) => ({
    matched_text: mark,
    alt: `([${name}](https://${name}.example))`,
  }))
  expect(await contents(answer(`Figs ${mark} and dates ${mark}.`, { content_references: references }))).toEqual([
    'Figs ([Figs](https://Figs.example)) and dates ([Dates](https://Dates.example)).',
  ])
})

test('names the files that an answer quotes, and removes all delimiters of passages', async () => {
  const text =
    '\uE203Figs are sweet.\uE204\uE206 \uE200filecite\uE202turn1file0\uE202L3-L8\uE201 \uE200cite\uE202turn0search1\uE201'
  const references = [
    { type: 'file', name: 'figs.pdf', alt: null, input_pointer: { message_index: 1, file_index: 0 } },
    {
      matched_text: '\uE200cite\uE202turn0search1\uE201',
      alt: '',
      prompt_text: '([Figs](https://figs.example))',
    },
  ]
  expect(await contents(answer(text, { content_references: references }))).toEqual([
    'Figs are sweet. (*figs.pdf*) ([Figs](https://figs.example))',
  ])
})

test('names people, places and pages in all forms of their markers', async () => {
  const mark = (kind: string, ...values: string[]) => `\uE200${[kind, ...values].join('\uE202')}\uE201`
  const text = [
    mark('entity', '["place","Ancient Egypt"]'),
    mark('entity', '["software", "Figs", 0]'),
    mark('entity', '["people","Ada \\"Countess\\" Lovelace","writer"]'),
    mark('product_entity', '["turn0product1","Fig jam"]'),
    mark('url', 'Figs', 'https://figs.example'),
    mark('url', 'Dates', 'turn0search1'),
    `${mark('entity', '7')}${mark('genui', '{"fig":1}')}plums`,
  ].join(', ')
  expect(await contents(answer(text))).toEqual([
    'Ancient Egypt, Figs, Ada "Countess" Lovelace, Fig jam, [Figs](https://figs.example), Dates, plums',
  ])
})

test('shows what is in frames without their marks, and leaves a user’s own text as it is', async () => {
  const letter =
    'Here:\n\n:::writing{variant="email" id="1" subject="Figs"} Dear Ann,\n:::\n\n:::contextList\n**Figs**\n:::\n:::'
  const own = `:::contextList \uE203 \uE200cite\uE201 ${OPENING}4\u2020source${CLOSING}`
  expect(await contents(user(own), answer(letter))).toEqual([own, 'Here:\n\n*Figs*\n\nDear Ann,\n\n**Figs**\n:::'])
})

const python = (text: string, more: Message = {}) => ({
  author: { role: 'assistant' },
  recipient: 'python',
  content: { content_type: 'code', language: 'unknown', text },
  ...more,
})
const printed = (text: string, metadata = {}) => ({
  author: { role: 'tool', name: 'python' },
  content: { content_type: 'execution_output', text },
  metadata,
})

test('keeps the code that an answer ran, with what it printed and drew', async () => {
  const chart = { messages: [{ message_type: 'image', image_url: 'file-service://c18959c4-6a9f' }] }
  const messages = await messagesOf(
    user('Count'),
    python('print(6 * 7)'),
    printed('42'),
    python('plot()'),
    printed('', { aggregate_result: chart }),
    python('hidden()', { metadata: { is_visually_hidden_from_conversation: true } }),
    answer('There are 42.'),
  )
  expect(messages.map(({ content }) => content)).toEqual([
    'Count',
    '```python\nprint(6 * 7)\n```\n\n```\n42\n```\n\n```python\nplot()\n```\n\nThere are 42.',
  ])
  expect(messages[1]?.pictures).toEqual([{ name: 'c18959c4-6a9f', entry: null }])
})

test('keeps an answer’s reasoning, with the code that it ran', async () => {
  const thoughts = (...list: unknown[]) => ({
    author: { role: 'assistant' },
    content: { content_type: 'thoughts', thoughts: list },
  })
  const recap = {
    author: { role: 'assistant' },
    content: { content_type: 'reasoning_recap', content: 'Thought for 3s' },
  }
  const messages = await messagesOf(
    user('Figs?'),
    thoughts({ summary: 'About figs', content: 'They ask about figs.' }, { summary: 'Counting', content: '' }),
    python('6 * 7', { channel: 'analysis' }),
    printed('42'),
    recap,
    answer('42 figs.'),
    user('And dates?'),
    thoughts({ summary: '', content: 'Stopped here.' }),
  )
  expect(messages.map(({ content, reasoning }) => [content, reasoning])).toEqual([
    ['Figs?', null],
    ['42 figs.', 'About figs\n\nThey ask about figs.\n\nCounting\n\n```python\n6 * 7\n```\n\n```\n42\n```'],
    ['And dates?', null],
  ])
})

test('reads conversations without an id, and skips malformed messages', async () => {
  const mapping = {
    a: { parent: null, message: { author: { role: 'user' }, content: { parts: ['Figs?'] } } },
    b: 7,
    c: { parent: 'a', message: { author: { role: 'assistant' }, content: { parts: ['Yes.'] } } },
  }
  const conversations = await conversationsIn(readChatGpt, {
    'conversations.json': [
      { title: 'One', create_time: 1, mapping },
      { title: 'Two', create_time: 1, mapping },
    ],
  })
  expect(new Set(conversations.map(({ sourceId }) => sourceId)).size).toBe(2)
  expect(conversations[0]?.messages.map(({ content }) => content)).toEqual(['Figs?', 'Yes.'])
})

test('tells conversations apart that have neither ids nor times', async () => {
  const conversation = (text: string) => ({
    title: 'New chat',
    mapping: { 1: { parent: null, message: { author: { role: 'user' }, content: { parts: [text] } } } },
  })
  const ids = async () =>
    (
      await conversationsIn(readChatGpt, {
        'conversations.json': [conversation('Figs?'), conversation('Dates?'), { title: '', mapping: {} }],
      })
    ).map(({ sourceId }) => sourceId)
  expect(new Set(await ids()).size).toBe(3)
  expect((await ids()).every((id) => id !== '')).toBe(true)
  expect(await ids()).toEqual(await ids())
})

/** Pictures of a conversation with one that's stored under its id, in an archive with this list of names. */
async function storedPictures(assetNames: unknown) {
  const picture = { content_type: 'image_asset_pointer', asset_pointer: 'sediment://file_00ab' }
  const message = { author: { role: 'user' }, content: { content_type: 'multimodal_text', parts: [picture] } }
  const [conversation] = await conversationsIn(readChatGpt, {
    'conversations-000.json': [{ id: 'c1', title: 'Figs', mapping: { a: { parent: null, message } } }],
    'conversation_asset_file_names.json': assetNames,
    'file_00ab.dat': Buffer.from('bytes'),
  })
  return conversation?.messages[0]?.pictures
}

test('gives pictures that are stored under their ids their original names', async () => {
  expect(await storedPictures({ 'file_00ab.dat': 'fig.png' })).toEqual([{ name: 'fig.png', entry: 'file_00ab.dat' }])
})

test('reads conversations when the list of original names is damaged', async () => {
  const withoutName = [{ name: 'file_00ab.dat', entry: 'file_00ab.dat' }]
  const huge = Buffer.alloc(65 * 1024 * 1024, ' ')
  huge.write('{')
  for (const list of [Buffer.from('{"file_00ab.dat": "fi'), Buffer.alloc(0), huge, { 'file_00ab.dat': '' }])
    expect(await storedPictures(list)).toEqual(withoutName)
})

test('reads a message whose parent’s id is empty, and a conversation that displays an empty one', async () => {
  const mapping = {
    one: { parent: '', message: user('Figs?') },
    two: { parent: 'one', message: answer('Yes.') },
    three: { message: user('Dates?') },
  }
  const conversation = { id: 'c1', title: 'Figs', mapping, current_node: '' }
  const [read] = await conversationsIn(readChatGpt, { 'conversations.json': [conversation] })
  expect(read?.messages.map(({ content, parentId }) => [content, parentId])).toEqual([
    ['Figs?', null],
    ['Yes.', 'one'],
    ['Dates?', null],
  ])
})
