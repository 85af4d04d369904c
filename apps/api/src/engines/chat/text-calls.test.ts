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

const cuts = (text: string): string[][] => [
  ...Array.from({ length: text.length }, (_, index) => [text.slice(0, index), text.slice(index)]),
  [...text],
]

const json = '{"name": "lookup", "arguments": {"q": "17*23"}}'
const call = { name: 'lookup', input: { q: '17*23' } }

test.each([
  ['<tool_call>', `<tool_call>\n${json}\n</tool_call>`],
  ['a call without its end', `<tool_call>${json}`],
  ['[TOOL_CALLS] and a list', `[TOOL_CALLS][${json}]`],
  ['[TOOL_CALLS] and a name', '[TOOL_CALLS]lookup[ARGS]{"q": "17*23"}'],
  ['<function=…> with JSON', '<function=lookup>{"q": "17*23"}</function>'],
  [
    '<function=…> with parameters',
    '<tool_call>\n<function=lookup>\n<parameter=q>\n17*23\n</parameter>\n</function>\n</tool_call>',
  ],
  ['a fence', `\`\`\`tool_call\n${json}\n\`\`\``],
  ['<|python_tag|>', '<|python_tag|>{"name": "lookup", "parameters": {"q": "17*23"}}<|eom_id|>'],
  ['pairs', '<tool_call>lookup\n<arg_key>q</arg_key>\n<arg_value>17*23</arg_value>\n</tool_call>'],
  [
    'marks of DeepSeek',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>lookup\n```json\n{"q": "17*23"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  ],
  ['JSON alone', json],
])('a call that is written as text is one, however it is cut: %s', (_how, modelText) => {
  for (const pieces of cuts(modelText)) expect(read(pieces)).toEqual({ text: '', calls: [call] })
})

test.each([
  '<function=lookup><parameter=q>2024</parameter><parameter=most>3</parameter></function>',
  '<tool_call>lookup\n<arg_key>q</arg_key>\n<arg_value>2024</arg_value>\n<arg_key>most</arg_key>\n<arg_value>3</arg_value>\n</tool_call>',
])('text stays text where it looks like a number: %s', (modelText) => {
  expect(read([modelText]).calls).toEqual([{ name: 'lookup', input: { q: '2024', most: 3 } }])
})

const nullable = { type: ['string', 'null'] }
test.each([
  ['a type or null', nullable, '2024', '2024'],
  ['a type or null, and is null', nullable, 'null', null],
  ['one of several schemas', { anyOf: [{ type: 'string' }, { type: 'null' }] }, 'true', 'true'],
  ['exactly one of several schemas', { oneOf: [{ type: 'null' }, { anyOf: [{ type: 'string' }] }] }, '7', '7'],
  ['a list or a text, and is a list', { anyOf: [{ type: 'string' }, { type: 'array' }] }, '["a"]', ['a']],
  ['a list or a text, and is a number', { anyOf: [{ type: 'string' }, { type: 'array' }] }, '7', '7'],
  ['one of some texts', { enum: ['2023', '2024'] }, '2024', '2024'],
  ['a number or a text', { type: ['integer', 'string'] }, '7', 7],
  ['not known', { $ref: '#/$defs/year' }, '7', 7],
])('an argument that is %s keeps its type', (_how, schema, written, argument) => {
  const tool = { name: 'lookup', parameters: { type: 'object', properties: { q: schema } } }
  const reader = createTextCallReader([tool])
  reader.add(`<function=lookup><parameter=q>${written}</parameter></function>`)
  expect(JSON.parse(reader.calls()[0]?.argumentsText ?? '')).toEqual({ q: argument })
})

test('an object in one of several parameters is that parameter', () => {
  const modelText = '<function=lookup><parameter=q>the sea</parameter><parameter=most>{"of": 3}</parameter></function>'
  expect(read([modelText]).calls).toEqual([{ name: 'lookup', input: { q: 'the sea', most: { of: 3 } } }])
})

test('what is said before and after it is shown', () => {
  for (const pieces of cuts(`I look.\n<tool_call>${json}</tool_call> Then [1] <b>.`)) {
    expect(read(pieces)).toEqual({ text: 'I look.\n Then [1] <b>.', calls: [call] })
  }
})

test('a call of a tool that was not offered is not made and not shown', () => {
  expect(read([`<tool_call>${json}</tool_call>Well.`], [])).toEqual({ text: 'Well.', calls: [] })
})

test.each([
  `\`\`\`xml\n<tool_call>${json}</tool_call>\n\`\`\``,
  'It writes `<tool_call>` before it, and `[TOOL_CALLS]`.',
  '<tool_call> is a mark, </tool_call> another',
  '{"name": "Anna", "age": 7}',
  '{"names": []}',
  'a < b, [TOOL and <tool_',
])('what is written about calls stays as it is: %j', (modelText) => {
  for (const pieces of cuts(modelText)) expect(read(pieces)).toEqual({ text: modelText, calls: [] })
})

test.each([
  ['in code', `\`${'<tool_call>'.repeat(20_000)}`],
  ['of no calls', '<tool_call></tool_call>'.repeat(20_000)],
])('thousands of marks %s are shown', (_where, modelText) => {
  expect(read([modelText])).toEqual({ text: modelText, calls: [] })
})

test('lists of calls within lists of calls are no calls', () => {
  const modelText = `<tool_call>${'{"tool_calls":['.repeat(5000)}${']}'.repeat(5000)}</tool_call>`
  expect(read([modelText])).toEqual({ text: modelText, calls: [] })
})
