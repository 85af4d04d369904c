import { describe, expect, test } from 'vitest'
import { createThinkingSplitter } from './thinking.ts'

/** Texts of answer and thoughts when what is written comes in these pieces. */
function split(pieces: string[]) {
  const splitter = createThinkingSplitter()
  const given = [...pieces.flatMap((piece) => splitter.add(piece)), ...splitter.end()]
  const textOf = (type: string) => given.flatMap((one) => (one.type === type ? [one.text] : [])).join('')
  return { text: textOf('text'), reasoning: textOf('reasoning') }
}

/** Every way to cut a text in two, and all of its characters alone. */
function cuts(text: string): string[][] {
  const inTwo = Array.from({ length: text.length }, (_, at) => [text.slice(0, at), text.slice(at)])
  return [...inTwo, [...text]]
}

describe('thoughts at the beginning of what a model writes', () => {
  test.each([
    ['<think>Two and two.</think>\n\nFour', { text: 'Four', reasoning: 'Two and two.' }],
    ['\n <think>a < b</think>Yes', { text: 'Yes', reasoning: 'a < b' }],
    ['<Thinking>a </think> b</Thinking> Yes', { text: 'Yes', reasoning: 'a </think> b' }],
    ['<think></think>Yes', { text: 'Yes', reasoning: '' }],
    ['<think>never ends', { text: '', reasoning: 'never ends' }],
    ['<think>cut in its tag</thi', { text: '', reasoning: 'cut in its tag</thi' }],
  ])('are found however it is cut: %j', (written, expected) => {
    for (const pieces of cuts(written)) expect(split(pieces)).toEqual(expected)
  })

  test.each(['Plain', '<thin ice', '  <table>', 'I <think> so</think>', '<th', '    code', '<', 'a\n\nb '])(
    'are not seen where there are none: %j',
    (written) => {
      for (const pieces of cuts(written)) expect(split(pieces)).toEqual({ text: written, reasoning: '' })
    },
  )

  test('do not hold an answer back that begins with a long gap', () => {
    const splitter = createThinkingSplitter()
    const held = Array.from({ length: 40 }, () => splitter.add(' '.repeat(50))).flat()
    expect(held.length).toBeGreaterThan(0)
  })
})
