import { expect, test } from 'vitest'
import { createTextCallReader } from './text-calls.ts'

const lookup = {
  name: 'lookup',
  parameters: { type: 'object', properties: { q: { type: 'string' }, most: { type: 'integer' } } },
}

function read(pieces: string[], offered = [lookup]) {
  const reader = createTextCallReader(offered)
  const text = [...pieces.map((piece) => reader.add(piece)), reader.end()].join('')
  return { text, calls: reader.calls().map(({ name, argumentsText }) => ({ name, input: JSON.parse(argumentsText) })) }
}

const splitsOf = (text: string): string[][] => [
  ...Array.from({ length: text.length }, (_, index) => [text.slice(0, index), text.slice(index)]),
  [...text],
]

const json = '{"name": "lookup", "arguments": {"q": "17*23"}}'
const call = { name: 'lookup', input: { q: '17*23' } }

test.each([
  ['<tool_call>', `<tool_call>\n${json}\n</tool_call>`],
  ['an unclosed call', `<tool_call>${json}`],
  ['[TOOL_CALLS] with a list', `[TOOL_CALLS][${json}]`],
  ['[TOOL_CALLS] with a name', '[TOOL_CALLS]lookup[ARGS]{"q": "17*23"}'],
  ['<function=…> with JSON', '<function=lookup>{"q": "17*23"}</function>'],
  [
    '<function=…> with parameters',
    '<tool_call>\n<function=lookup>\n<parameter=q>\n17*23\n</parameter>\n</function>\n</tool_call>',
  ],
  ['a code fence', `\`\`\`tool_call\n${json}\n\`\`\``],
  ['<|python_tag|>', '<|python_tag|>{"name": "lookup", "parameters": {"q": "17*23"}}<|eom_id|>'],
  ['pairs of keys and values', '<tool_call>lookup\n<arg_key>q</arg_key>\n<arg_value>17*23</arg_value>\n</tool_call>'],
  [
    'DeepSeek tokens',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>lookup\n```json\n{"q": "17*23"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  ],
  ['JSON alone', json],
])('recognises a call written as text, however it is split: %s', (_format, modelText) => {
  for (const pieces of splitsOf(modelText)) expect(read(pieces)).toEqual({ text: '', calls: [call] })
})

test.each([
  '<function=lookup><parameter=q>2024</parameter><parameter=most>3</parameter></function>',
  '<tool_call>lookup\n<arg_key>q</arg_key>\n<arg_value>2024</arg_value>\n<arg_key>most</arg_key>\n<arg_value>3</arg_value>\n</tool_call>',
])('keeps a string argument that looks like a number: %s', (modelText) => {
  expect(read([modelText]).calls).toEqual([{ name: 'lookup', input: { q: '2024', most: 3 } }])
})

const nullable = { type: ['string', 'null'] }
test.each([
  ['string or null', nullable, '2024', '2024'],
  ['string or null, given null', nullable, 'null', null],
  ['anyOf with a string', { anyOf: [{ type: 'string' }, { type: 'null' }] }, 'true', 'true'],
  ['oneOf with a nested string', { oneOf: [{ type: 'null' }, { anyOf: [{ type: 'string' }] }] }, '7', '7'],
  ['string or array, given an array', { anyOf: [{ type: 'string' }, { type: 'array' }] }, '["a"]', ['a']],
  ['string or array, given a number', { anyOf: [{ type: 'string' }, { type: 'array' }] }, '7', '7'],
  ['enum of strings', { enum: ['2023', '2024'] }, '2024', '2024'],
  ['integer or string', { type: ['integer', 'string'] }, '7', 7],
  ['unresolved $ref', { $ref: '#/$defs/year' }, '7', 7],
])('converts an argument according to its schema: %s', (_type, schema, argumentText, argument) => {
  const tool = { name: 'lookup', parameters: { type: 'object', properties: { q: schema } } }
  const reader = createTextCallReader([tool])
  reader.add(`<function=lookup><parameter=q>${argumentText}</parameter></function>`)
  expect(JSON.parse(reader.calls()[0]?.argumentsText ?? '')).toEqual({ q: argument })
})

test('keeps an object as the value of its parameter', () => {
  const modelText = '<function=lookup><parameter=q>the sea</parameter><parameter=most>{"of": 3}</parameter></function>'
  expect(read([modelText]).calls).toEqual([{ name: 'lookup', input: { q: 'the sea', most: { of: 3 } } }])
})

test('keeps the text before and after a call', () => {
  for (const pieces of splitsOf(`I look.\n<tool_call>${json}</tool_call> Then [1] <b>.`)) {
    expect(read(pieces)).toEqual({ text: 'I look.\n Then [1] <b>.', calls: [call] })
  }
})

test('drops a call of a tool that was not offered, without showing it', () => {
  expect(read([`<tool_call>${json}</tool_call>Well.`], [])).toEqual({ text: 'Well.', calls: [] })
})

test.each([
  `\`\`\`xml\n<tool_call>${json}</tool_call>\n\`\`\``,
  'It writes `<tool_call>` before it, and `[TOOL_CALLS]`.',
  '<tool_call> is a mark, </tool_call> another',
  '{"name": "Anna", "age": 7}',
  '{"names": []}',
  'a < b, [TOOL and <tool_',
])('leaves text about calls unchanged: %j', (modelText) => {
  for (const pieces of splitsOf(modelText)) expect(read(pieces)).toEqual({ text: modelText, calls: [] })
})

test.each([
  ['in code', `\`${'<tool_call>'.repeat(20_000)}`],
  ['around nothing', '<tool_call></tool_call>'.repeat(20_000)],
])('shows thousands of tags %s as text', (_position, modelText) => {
  expect(read([modelText])).toEqual({ text: modelText, calls: [] })
})

test('shows deeply nested lists of calls as text', () => {
  const modelText = `<tool_call>${'{"tool_calls":['.repeat(5000)}${']}'.repeat(5000)}</tool_call>`
  expect(read([modelText])).toEqual({ text: modelText, calls: [] })
})
