import { describe, expect, test } from 'vitest'
import { createThinkingSplitter } from './thinking.ts'

/** Answer and reasoning of a text that arrives in these pieces. */
function split(pieces: string[], options = {}) {
  const splitter = createThinkingSplitter(options)
  const output = { text: '', reasoning: '' }
  for (const piece of [...pieces.flatMap((piece) => splitter.add(piece)), ...splitter.end()]) {
    if (piece.type === 'rethink') Object.assign(output, { text: '', reasoning: output.reasoning + output.text })
    else output[piece.type] += piece.text
  }
  return output
}

/** Every split of a text in two, and the split into characters. */
function splitsOf(text: string): string[][] {
  const inTwo = Array.from({ length: text.length }, (_, index) => [text.slice(0, index), text.slice(index)])
  return [...inTwo, [...text]]
}

describe('reasoning at the beginning of a text', () => {
  test.each([
    ['<think>Two and two.</think>\n\nFour', { text: 'Four', reasoning: 'Two and two.' }],
    ['\n <think>a < b</think>Yes', { text: 'Yes', reasoning: 'a < b' }],
    ['<Thinking>a </think> b</Thinking> Yes', { text: 'Yes', reasoning: 'a </think> b' }],
    ['<think></think>Yes', { text: 'Yes', reasoning: '' }],
    ['<think>never ends', { text: '', reasoning: 'never ends' }],
    ['<reasoning>a</reasoning>b', { text: 'b', reasoning: 'a' }],
    ['<thought>a\n</thought>\nb', { text: 'b', reasoning: 'a\n' }],
    ['[THINK]a [1] b[/THINK]Yes', { text: 'Yes', reasoning: 'a [1] b' }],
    ['◁think▷a < b◁/think▷Yes', { text: 'Yes', reasoning: 'a < b' }],
    ['<seed:think>a</seed:think>Yes', { text: 'Yes', reasoning: 'a' }],
    ['<|START_THINKING|>a<|END_THINKING|>Yes', { text: 'Yes', reasoning: 'a' }],
    [
      '<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>Yes',
      { text: 'Yes', reasoning: 'a' },
    ],
    ['<|channel|>final<|message|>Yes', { text: 'Yes', reasoning: '' }],
    ['Two and two.\n</think>\n\nFour', { text: 'Four', reasoning: 'Two and two.\n' }],
    ['Two and two.</think>Four', { text: 'Four', reasoning: 'Two and two.' }],
    ['</think>\n\nFour', { text: 'Four', reasoning: '' }],
    ['a.[/THINK]Four', { text: 'Four', reasoning: 'a.' }],
    ['<think>cut in its tag</thi', { text: '', reasoning: 'cut in its tag</thi' }],
  ])('is recognised however the text is split: %j', (text, expected) => {
    for (const pieces of splitsOf(text)) expect(split(pieces)).toEqual(expected)
  })

  test.each([
    'Plain',
    '<thin ice',
    '  <table>',
    'I <think> so</think>',
    '<th',
    '    code',
    '<',
    'a\n\nb ',
    'It ends with `</think>`.',
    'Write </think> then',
    '```html\n</think>\n```\nSo',
    '<thinker>',
    '[THINKING',
    '<|channel|> is a mark',
    'a [1] b',
    'x < y',
  ])('is not recognised where there is none: %j', (text) => {
    for (const pieces of splitsOf(text)) expect(split(pieces)).toEqual({ text: text, reasoning: '' })
  })

  test('does not delay an answer that begins with many spaces', () => {
    const splitter = createThinkingSplitter()
    const pieces = Array.from({ length: 40 }, () => splitter.add(' '.repeat(50))).flat()
    expect(pieces.length).toBeGreaterThan(0)
  })

  test('is recognised without an opening tag for a model that is known to omit it', () => {
    for (const pieces of splitsOf('Two.</think>Four')) {
      expect(split(pieces, { beginsThinking: true })).toEqual({ text: 'Four', reasoning: 'Two.' })
    }
    expect(split(['Fo', 'ur'], { beginsThinking: true }).text).toBe('Four')
  })
})
