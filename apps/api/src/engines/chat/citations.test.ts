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
async function read(text: string, size = 1000) {
  const events: EngineEvent[] = []
  for await (const event of withCitations(streamText(text, size), passages)) events.push(event)
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

  test('are not recognised in code, links or lists of numbers', async () => {
    for (const text of [
      'Take `list[1]` and\n```js\nconst a = b[2]\n```',
      'The list [10, 20, 30] has a [link](/x).',
      'a [b',
    ]) {
      for (const size of [1, 1000]) expect(await read(text, size)).toEqual({ text, sources: [], last: 'end' })
    }
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
