import { describe, expect, test } from 'vitest'
import { createCallIds, createToolCallCollector, readableArguments } from './tool-calls.ts'

/** Tool calls collected from the `tool_calls` of consecutive deltas. */
function collect(...deltas: unknown[]) {
  const collector = createToolCallCollector(createCallIds())
  for (const fragments of deltas) collector.add(fragments)
  return collector.calls()
}

const add = (input: string) => ({ name: 'add', arguments: JSON.stringify({ input }) })
const one = { id: 'a', name: 'add', argumentsText: '{"input":"1"}' }
const two = { id: 'b', name: 'add', argumentsText: '{"input":"2"}' }

describe('tool calls', () => {
  test.each<[string, unknown[], object[]]>([
    ['complete, in one delta', [[{ index: 0, id: 'a', function: add('1') }]], [one]],
    [
      'with a gpt-oss channel token after the name',
      [[{ index: 0, id: 'a', function: { ...add('1'), name: 'add<|channel|>commentary' } }]],
      [one],
    ],
    [
      'with empty arguments before the real ones',
      [
        [{ index: 0, id: 'a', function: { name: 'add', arguments: '{}' } }],
        [{ index: 0, function: { arguments: '{"input":"1"}' } }],
      ],
      [one],
    ],
    [
      'with empty arguments before the real ones, and the name in both',
      [
        [{ index: 0, id: 'a', function: { name: 'add', arguments: '{}' } }],
        [{ index: 0, id: 'a', function: add('1') }],
        [{ index: 1, id: 'b', function: add('2') }],
      ],
      [one, two],
    ],
    [
      'two in one delta',
      [
        [
          { index: 0, id: 'a', function: add('1') },
          { index: 1, id: 'b', function: add('2') },
        ],
      ],
      [one, two],
    ],
    [
      'in many interleaved fragments',
      [
        [{ index: 0, id: 'a', function: { name: 'add', arguments: '' } }],
        [{ index: 1, id: 'b', function: { name: 'add', arguments: '{"inp' } }],
        [{ index: 0, function: { arguments: '{"input"' } }],
        [{ index: 1, function: { arguments: 'ut":"2"}' } }],
        [{ index: 0, function: { arguments: ':"1"}' } }],
      ],
      [one, two],
    ],
    [
      'without an index, distinguished by id',
      [
        [{ id: 'a', function: { name: 'add', arguments: '{"input"' } }],
        [{ id: 'a', function: { arguments: ':"1"}' } }],
        [{ id: 'b', function: add('2') }],
      ],
      [one, two],
    ],
    [
      'without an index or id in later fragments',
      [
        [{ id: 'a', function: { name: 'add', arguments: '{"inp' } }],
        [{ function: { arguments: 'ut":"1"}' } }],
        [{ id: 'b', function: add('2') }],
      ],
      [one, two],
    ],
    [
      'all under one index',
      [[{ index: 0, id: 'a', function: add('1') }], [{ index: 0, id: 'b', function: add('2') }]],
      [one, two],
    ],
    [
      'under one index with a new id in every fragment',
      [
        [{ index: 0, id: 'a', function: { name: 'add', arguments: '{"input"' } }],
        [{ index: 0, id: 'x', function: { arguments: ':"1"}' } }],
      ],
      [one],
    ],
    [
      'with the name repeated in every fragment',
      [
        [{ index: 0, id: 'a', function: { name: 'add', arguments: '{"input"' } }],
        [{ index: 0, id: 'a', function: { name: 'add', arguments: ':"1"}' } }],
      ],
      [one],
    ],
    [
      'repeated completely at the end',
      [
        [{ index: 0, id: 'a', function: { name: 'add', arguments: '{"input":' } }],
        [{ index: 0, function: { arguments: '"1"}' } }],
        [{ index: 0, id: 'a', function: add('1') }],
      ],
      [one],
    ],
    [
      'with arguments as an object',
      [[{ index: 0, id: 'a', function: { name: 'add', arguments: { input: '1' } } }]],
      [one],
    ],
    [
      'with arguments encoded twice',
      [[{ index: 0, id: 'a', function: { name: 'add', arguments: JSON.stringify('{"input":"1"}') } }]],
      [one],
    ],
    [
      'without arguments, index or id',
      [[{ function: { name: 'now' } }, { function: { name: 'here', arguments: null } }]],
      [
        { id: 'call00001', name: 'now', argumentsText: '{}' },
        { id: 'call00002', name: 'here', argumentsText: '{}' },
      ],
    ],
    [
      'with the same id for two calls',
      [
        [
          { index: 0, id: 'a', function: add('1') },
          { index: 1, id: 'a', function: add('2') },
        ],
      ],
      [one, { ...two, id: 'call00002' }],
    ],
    ['with nothing callable', [[{ index: 0, id: 'a' }, null, 'x'], 'calls', null, undefined], []],
  ])('are collected: %s', (_case, deltas, expected) => {
    expect(collect(...deltas)).toEqual(expected)
  })

  test('are rejected when they are too long or too many', () => {
    const endless = () =>
      collect(...Array.from({ length: 300 }, () => [{ index: 0, function: { arguments: ' '.repeat(1000) } }]))
    expect(endless).toThrow(expect.objectContaining({ code: 'too_many_tool_calls' }))
    const tooMany = () => collect(Array.from({ length: 100 }, (_item, index) => ({ index, function: add('1') })))
    expect(tooMany).toThrow(expect.objectContaining({ code: 'too_many_tool_calls' }))
  })

  test('are sent back with empty arguments unless these are a JSON object', () => {
    expect(['{"a":1}', '{"a":', '[1]', '"a"', ''].map(readableArguments)).toEqual(['{"a":1}', '{}', '{}', '{}', '{}'])
  })
})
