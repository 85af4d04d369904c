import type { Source } from '@mira/shared'
import { describe, expect, test } from 'vitest'
import type { EngineEvent, Passage } from '../chat-engine.ts'
import { withCitations } from './citations.ts'

const passage = (n: number, title: string, text: string): Passage => ({
  source: { n, media_id: null, media_type: 'document', title, snippet: text, thumbnail: null, url: '/gallery/x' },
  text,
  certainty: 'found',
})
const passages = [
  passage(1, 'lease.pdf', 'The notice period is three months, always to the end of a quarter.'),
  passage(2, 'garden.mp4', 'We planted 12 apple trees behind the old barn in April.'),
]

async function* streamText(text: string, size: number): AsyncGenerator<EngineEvent> {
  for (let index = 0; index < text.length; index += size) yield { type: 'text', text: text.slice(index, index + size) }
  yield { type: 'end', model: 'm', usage: null }
}

/** Titles of sources; checks that they're numbered without gaps. */
function titlesOf(sources: Source[]): string[] {
  expect(sources.map(({ n }) => n)).toEqual(sources.map((_, index) => index + 1))
  return sources.map(({ title }) => title)
}

/** Collects an answer's text and each update of its sources. */
async function read(text: string, size = 1000, soFar?: { text: string; sources: Source[] }) {
  const events: EngineEvent[] = []
  for await (const event of withCitations(streamText(text, size), passages, soFar)) events.push(event)
  return {
    text: events.map((event) => (event.type === 'text' ? event.text : '')).join(''),
    sources: events.flatMap((event) => (event.type === 'sources' ? [titlesOf(event.sources)] : [])),
    last: events.at(-1)?.type,
  }
}

describe('citations', () => {
  test.each([
    ['at the end of its sentence', 'The notice period is three months [1].'],
    ['after its sentence', 'The notice period is three months. [1] Anything else?'],
    ['at the beginning of its sentence', 'According to [1], the notice period is three months. Anything else?'],
    ['in a list', '- A notice period of three months [1]\n- Nothing more'],
  ])('keep one %s and emit its source, however the text is split', async (_position, text) => {
    for (const size of [1, 2, 3, 7, 1000]) {
      expect(await read(text, size)).toEqual({ text, sources: [['lease.pdf']], last: 'end' })
    }
  })

  test('are removed when the passage does not support the sentence', async () => {
    const answer = 'The moon is made of green cheese [1]. We planted apple trees [1] in April [2].'
    for (const size of [1, 5, 1000]) {
      expect(await read(answer, size)).toEqual({
        text: 'The moon is made of green cheese. We planted apple trees in April [1].',
        sources: [['garden.mp4']],
        last: 'end',
      })
    }
  })

  test('are removed when there is no such passage', async () => {
    expect(await read('The notice period is three months [7][0] [1].')).toEqual({
      text: 'The notice period is three months [1].',
      sources: [['lease.pdf']],
      last: 'end',
    })
  })

  test('are split when one names several passages', async () => {
    const { text, sources } = await read('Three months of notice, and apple trees behind the barn [1, 2]. Again [1-2].')
    expect([text, sources]).toEqual([
      'Three months of notice, and apple trees behind the barn [1][2]. Again.',
      [['lease.pdf', 'garden.mp4']],
    ])
  })

  test('are renumbered in order of appearance, and emit the sources again with each new one', async () => {
    const { text, sources } = await read(
      'We planted apple trees [2].\n\nA notice of three months [1]. Apple trees [2].',
    )
    expect(text).toBe('We planted apple trees [1].\n\nA notice of three months [2]. Apple trees [1].')
    expect(sources).toEqual([['garden.mp4'], ['garden.mp4', 'lease.pdf']])
  })

  test('are removed after dates, units, brands and amounts, like after words', async () => {
    const answer = 'We flew on 30.11.2026[1], used 120 kWh[1] and an iPhone[1]. It costs 3.5[9] on YouTube[2].'
    const text = 'We flew on 30.11.2026, used 120 kWh and an iPhone. It costs 3.5 on YouTube.'
    expect(await read(answer)).toEqual({ text, sources: [], last: 'end' })
  })

  test('are not recognised in code, links or lists of numbers', async () => {
    for (const text of [
      'Take `list[1]` and\n```js\nconst a = b[2]\n```',
      'The list [10, 20, 30] has a [link](/x).',
      'a [b',
    ]) {
      for (const size of [1, 1000]) expect(await read(text, size)).toEqual({ text, sources: [], last: 'end' })
    }
  })

  test.each([
    ['a root', 'The cube root is $\\sqrt[3]{8} = 2$, and \\sqrt[3]{8} again, or $$\\sqrt [3]{8}$$.'],
    ['an interval', 'For $x \\in [1, 2]$ it is continuous, as on [0, 1] and [1, 2] ∪ [2, 2].'],
    ['an index in dollars', 'The first entry is $V[1]$, and the second $M[1][2]$.'],
    ['a formula in brackets', 'So \\(M [1]\\) and \\[\nM [2] \\\\[4pt]\nN [1]\n\\] follow.'],
    ['a display formula', '$$\nM = [1, 2] \\\\\nN [1]\n$$\nand\n\\begin{align*}\nM [2]\n\\end{align*}'],
    ['a formula that is cut off', 'So \\(M [1]'],
    ['a vector', 'Take the vector [1, 2], the list v = [2, 1], or sum([1, 2]).'],
    ['a scale', 'Rate it on a scale of [1-5] or [1–2].'],
    ['an index', 'Use x[0], data[0], x[1][2], $list[1] and my_list[2]; then items[1] = 5.'],
    ['an index of a variable', 'For a notice period of three months, swap a[1] and a[2].'],
    ['a link', 'See the issue [80](https://example.org/80) and [2](https://example.org/2).'],
    ['a block with tildes', '~~~py\nvalue [1]\n``` [2]\n~~~\n'],
    ['a longer fence', '````md\n```\nvalue [1]\n```\nvalue [2]\n````\n'],
    ['a block in a list', '1. ```py\n   value [1]\n   ```\n'],
    ['an indented block', 'Write:\n\n    value [1]\n\n    value [2]\n'],
    ['an indented block in a list', '- Write:\n\n      value [1]\n'],
    ['code in backticks', 'Take ``a ` [1]`` and `\\` or `value [2]\nvalue [1]`.'],
    ['a block that is cut off', '```\nvalue [1]'],
  ])('are not recognised in %s, however the text is split', async (_name, text) => {
    for (const size of [1, 2, 3, 5, 11, 1000])
      expect(await read(text, size)).toEqual({ text, sources: [], last: 'end' })
  })

  test.each([
    ['amounts of money', 'It costs $5 in three months of notice [1], not $10 for three months of notice [1].'],
    ['an unclosed backtick', 'Use the ` key.\n\nA notice period of three months [1]. Three months of notice [1].'],
    ['code in one line of three backticks', '```SELECT 1``` is code.\nA notice period of three months [1]. Again [1].'],
    [
      'code and formulas',
      '```\na\n```\n~~~\nb\n~~~\n$$c$$ \\(d\\) `e` $f$: a notice period of three months [1]. Again [1].',
    ],
    ['a paragraph of a list item', '1. Lease\n\n    A notice period of three months [1]. Again [1].'],
    ['a nested list', '- Lease\n    - Period\n\n        A notice period of three months [1]. Again [1].'],
    ['an unclosed bracket', 'So \\[ it goes.\n\nA notice period of three months [1]. Again [1].'],
  ])('are recognised after %s, however the text is split', async (_name, answer) => {
    for (const size of [1, 2, 3, 5, 11, 1000]) {
      const { text, sources } = await read(answer.replaceAll('Again [1]', 'A cheese on the moon [2]'), size)
      expect([text, sources]).toEqual([answer.replaceAll('Again [1]', 'A cheese on the moon'), [['lease.pdf']]])
    }
  })

  test('give the same answer, with all of its other text, however it is split', async () => {
    const parts = [
      ...[
        'The notice period is three months',
        ' [1]',
        '[2]',
        ' [1, 2]',
        '[7]',
        ' [0, 1]',
        ' [1](x)',
        'x[1]',
        '. ',
        '... ',
      ],
      ...['\n', '\n\n', '    ', '- ', '1. ', '> ', '`', '``', '```', '\n```js\n', '\n```\n', '\n~~~\n', '~~'],
      ...[
        '$',
        '$$',
        ' $x ',
        '$5',
        '\\(',
        '\\)',
        '\\[',
        '\\]',
        '\\\\',
        '\\sqrt',
        '{8}',
        '\\begin{align}',
        '\\end{align}',
      ],
      ...[
        ' = ',
        ' += ',
        '[',
        ']',
        '(',
        ' apple trees behind the barn',
        '。',
        '!"',
        '🌊',
        'x'.repeat(300),
        'y '.repeat(300),
      ],
    ]
    const withoutNumbers = (text: string) => text.replace(/[ \t]*\[\s*\d+(\s*,\s*\d+)*\s*\]/g, '')
    // a fixed sequence of pseudo-random numbers
    let seed = 1
    const pick = (count: number) => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % count
    }
    for (let round = 0; round < 400; round++) {
      const text = Array.from({ length: 3 + pick(25) }, () => parts[pick(parts.length)]).join('')
      const whole = await read(text, text.length)
      // nothing but numbers in brackets is ever changed
      expect(withoutNumbers(whole.text)).toBe(withoutNumbers(text))
      for (const size of [1, 2 + pick(9)]) expect(await read(text, size), JSON.stringify(text)).toEqual(whole)
    }
  })

  test('are not recognised in code that an answer goes on with, and afterwards keep their numbers', async () => {
    const [lease] = passages.map(({ source }) => source)
    const soFar = { text: 'The notice period is three months [1].\n\n```py\ntotal = ', sources: [lease!] }
    for (const size of [1, 4, 1000]) {
      const { text, sources } = await read(
        'value [1] + a[2]\n```\nThree months of notice [1]. The moon [2].',
        size,
        soFar,
      )
      expect([text, sources]).toEqual(['value [1] + a[2]\n```\nThree months of notice [1]. The moon.', []])
    }
  })

  test('are recognised after reasoning that left code open', async () => {
    async function* thinkingStream(): AsyncGenerator<EngineEvent> {
      yield { type: 'text', text: 'Hm:\n```\nvalue' }
      yield { type: 'rethink' }
      yield* streamText('We planted apple trees [2]. The moon [1].', 1000)
    }
    let text = ''
    for await (const event of withCitations(thinkingStream(), passages)) if (event.type === 'text') text += event.text
    expect(text).toBe('Hm:\n```\nvalueWe planted apple trees [1]. The moon.')
  })

  test('need only matching numbers when the sentence and the passage differ in language', async () => {
    const { text } = await read(
      'Ihr habt 12 Apfelbäume hinter der Scheune und dem Haus gepflanzt [2]. Ihr habt 14 mit der Hand und dem Spaten gesetzt [2].',
    )
    expect(text).toBe(
      'Ihr habt 12 Apfelbäume hinter der Scheune und dem Haus gepflanzt [1]. Ihr habt 14 mit der Hand und dem Spaten gesetzt.',
    )
  })

  test('let the text so far through when the engine fails', async () => {
    async function* failingStream(): AsyncGenerator<EngineEvent> {
      yield { type: 'text', text: 'Therefore [1] and' }
      throw new Error('broken')
    }
    const texts: string[] = []
    const reading = async () => {
      for await (const event of withCitations(failingStream(), passages))
        if (event.type === 'text') texts.push(event.text)
    }
    await expect(reading()).rejects.toThrow('broken')
    expect(texts.join('')).toBe('Therefore and')
  })
})
