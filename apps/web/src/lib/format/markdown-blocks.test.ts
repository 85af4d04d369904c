import { describe, expect, it } from 'vitest'
import { completeMarkdown, splitMarkdown } from './markdown-blocks.ts'

const answer = `# Lisbon

Two days are enough for *the old town*.

- Alfama

  with its stairs
- Belém

1. first

2. second

\`\`\`ts
const a = 1

# not a heading
\`\`\`

| a | b |
| - | - |
| 1 | 2 |

> quoted

> still quoted

The end.
`

describe('splitMarkdown', () => {
  it('loses nothing', () => {
    expect(splitMarkdown(answer).join('')).toBe(answer)
  })

  it('keeps lists, quotes, tables and code in one piece', () => {
    expect(splitMarkdown(answer).map((block) => block.split('\n')[0])).toEqual([
      '# Lisbon',
      'Two days are enough for *the old town*.',
      '```ts',
      '| a | b |',
      'The end.',
    ])
  })

  it('keeps code with nested fences in one piece', () => {
    const code = '````md\n```ts\n\nlet a\n```\n\nx\n````\n\nafter'
    expect(splitMarkdown(code)).toEqual(['````md\n```ts\n\nlet a\n```\n\nx\n````\n\n', 'after'])
  })

  it.each([
    ['a list', '1. ```sh\n   a\n\n   b\n   ```\n\n', 'after'],
    ['a list, deeply indented', '- a\n\n    ```sh\n    a\n\nb\n    ```\n\n', 'after'],
    ['a quote that ends first', '> ```sh\n> a\n\n', 'after'],
    ['code with a nested, indented fence', '```py\n\n    ```\n\na\n```\n\n', 'after'],
  ])('ends code in %s where it ends', (_case, code, rest) => {
    expect(splitMarkdown(code + rest)).toEqual([code, rest])
  })

  it.each(['$$\nx\n\n= 1$$\n\n', '> $$\n> x\n> $$\n\n', '- $$\n  x\n  $$\n\n'])(
    'ends the formula %j where it ends',
    (formula) => {
      expect(splitMarkdown(`${formula}after`)).toEqual([formula, 'after'])
    },
  )

  it('never changes finished blocks while the text grows', () => {
    let before: string[] = []
    for (let length = 0; length <= answer.length; length += 1) {
      const blocks = splitMarkdown(answer.slice(0, length))
      const finished = before.slice(0, -1)
      expect(blocks.slice(0, finished.length)).toEqual(finished)
      before = blocks
    }
  })

  it('does not split a text with link definitions', () => {
    const text = 'See [it][1].\n\nMore.\n\n[1]: https://example.com'
    expect(splitMarkdown(text)).toEqual([text])
  })

  it('returns no blocks for an empty text', () => {
    expect(splitMarkdown('')).toEqual([])
  })
})

describe('completeMarkdown', () => {
  it.each([
    ['plain words', 'plain words'],
    ['so **bold wor', 'so **bold wor**'],
    ['so **', 'so'],
    ['so **bold*', 'so **bold**'],
    ['so **bold**', 'so **bold**'],
    ['so *soft*', 'so *soft*'],
    ['call `npm sta', 'call `npm sta`'],
    ['call `', 'call '],
    ['~~old', '~~old~~'],
    ['see [the docs', 'see the docs'],
    ['see [the docs](https://exa', 'see the docs'],
    ['see [the docs](https://example.com)', 'see [the docs](https://example.com)'],
    ['look ![a cat](https://exa', 'look a cat'],
    ['A text\n-', 'A text\n'],
    ['A text\n- item', 'A text\n- item'],
    ['A text\n\n##', 'A text\n\n'],
    ['A text\n\n1.', 'A text\n\n'],
    ['A text\n\n``', 'A text\n\n'],
    ['A text\n\n| Name | Val', 'A text\n'],
    ['A text\n\n| Name | Value |\n| --', 'A text\n'],
    ['| Name | Value |\n| --- | --- |\n| a | b', '| Name | Value |\n| --- | --- |\n'],
    ['```ts\nconst a = **b', '```ts\nconst a = **b'],
    ['`**` is power, **so', '`**` is power, **so**'],
    ['```\n$$\n```\n\nso **bold wor', '```\n$$\n```\n\nso **bold wor**'],
    ['$$\nx **', '$$\nx **'],
    ['$$\n```\n$$\n\nso **bold wor', '$$\n```\n$$\n\nso **bold wor**'],
  ])('turns %j into %j', (source, expected) => {
    expect(completeMarkdown(source)).toBe(expected)
  })

  it('leaves a finished text unchanged', () => {
    expect(completeMarkdown(answer)).toBe(answer)
  })
})
