import { describe, expect, test } from 'vitest'
import { languageCode, mainLanguage, readTranscript } from './transcript.ts'

test.each([
  ['english', 'en'],
  ['German', 'de'],
  ['haitian creole', 'ht'],
  ['fr', 'fr'],
  ['pt-BR', 'pt'],
  ['klingon of the north', null],
])('the language "%s" is %s', (told, code) => {
  expect(languageCode(told)).toBe(code)
})

test('a recording has the language of most of its text', () => {
  const piece = (text: string, language: string | null) => ({ text, language, segments: null })
  expect(mainLanguage([piece('Hello', 'en'), piece('Guten Morgen', 'de'), piece('A very long one', null)])).toBe('de')
  expect(mainLanguage([])).toBe(null)
})

describe('an answer', () => {
  test('is read with what it tells', () => {
    const segments = [
      { start: 0, end: 1.5, text: ' One\n two ', avg_logprob: -0.5, no_speech_prob: 0.1 },
      { start: 2, end: 3, text: 'three' },
    ]
    expect(readTranscript({ text: ' One two three ', language: 'spanish', segments })).toEqual({
      text: 'One two three',
      language: 'es',
      segments: [
        { start: 0, end: 1.5, text: 'One two', averageLogProbability: -0.5, noSpeechProbability: 0.1 },
        { start: 2, end: 3, text: 'three', averageLogProbability: null, noSpeechProbability: null },
      ],
    })
  })

  test.each([
    ['of another kind', null, ''],
    ['without segments', { text: 'One', segments: [] }, 'One'],
    ['as plain text', 'One\n', 'One'],
  ])('%s has no times', (_what, answer, text) => {
    expect(readTranscript(answer)).toEqual({ text, language: null, segments: null })
  })

  test('with broken segments keeps the others', () => {
    const segments = [
      null,
      { start: 'x', end: 1, text: 'a' },
      { start: 0, end: Number.NaN, text: 'b' },
      { start: 0, end: 1, text: 'c' },
    ]
    expect(readTranscript({ segments }).segments?.map(({ text }) => text)).toEqual(['c'])
  })
})
