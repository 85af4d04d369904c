import { describe, expect, test } from 'vitest'
import { languageCode, mainLanguage, placeSegments, readTranscript } from './transcript.ts'

test.each([
  ['english', 'en'],
  ['German', 'de'],
  ['haitian creole', 'ht'],
  ['fr', 'fr'],
  ['pt-BR', 'pt'],
  ['klingon of the north', null],
])('the language "%s" has the code %s', (languageName, code) => {
  expect(languageCode(languageName)).toBe(code)
})

test('a recording has the language of most of its text', () => {
  const piece = (text: string, language: string | null) => ({ text, language, segments: null })
  expect(mainLanguage([piece('Hello', 'en'), piece('Guten Morgen', 'de'), piece('A very long one', null)])).toBe('de')
  expect(mainLanguage([])).toBe(null)
})

describe('a response', () => {
  test('is read with its text, language and segments', () => {
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
    ['null', null, ''],
    ['without segments', { text: 'One', segments: [] }, 'One'],
    ['with unusable segments only', { text: 'One', segments: [{ start: '0.00', end: null, text: 'One' }] }, 'One'],
    ['as plain text', 'One\n', 'One'],
  ])('has no segments: %s', (_case, answer, text) => {
    expect(readTranscript(answer)).toEqual({ text, language: null, segments: null })
  })

  test('keeps the usable segments beside broken ones', () => {
    const segments = [
      null,
      { start: 'x', end: 1, text: 'a' },
      { start: 0, end: Number.NaN, text: 'b' },
      { start: 0, end: 1, text: 'c' },
    ]
    expect(readTranscript({ segments }).segments?.map(({ text }) => text)).toEqual(['c'])
  })

  test.each([null, undefined])('keeps a last segment with the end %s until the end of the piece', (end) => {
    const segments = [
      { start: 0, end: 1, text: 'One.' },
      { start: 1, end, text: 'Two.' },
    ]
    const piece = readTranscript({ text: 'One. Two.', segments })
    const placed = placeSegments(piece, { start: 60, seconds: 4 }, () => false)
    expect(placed.map(({ start, end, text }) => [start, end, text])).toEqual([
      [60, 61, 'One.'],
      [61, 64, 'Two.'],
    ])
  })
})

/** Texts kept of an audible segment, given the model's probability that nobody speaks. */
function keptOf(text: string, noSpeechProbability: number | null): string[] {
  const segment = { start: 0, end: 2, text, averageLogProbability: -0.2, noSpeechProbability }
  const piece = { text, language: null, segments: [segment] }
  return placeSegments(piece, { start: 0, seconds: 4 }, () => false).map((segment) => segment.text)
}

test.each([
  'Thanks for watching!',
  'Thank you so much for watching.',
  'Please like and subscribe.',
  '¡Gracias por ver el video!',
  'Gracias por ver.',
  'Suscríbete al canal',
  'Subtítulos realizados por la comunidad de Amara.org',
  "Merci d'avoir regardé cette vidéo !",
  'Merci d’avoir visionné cette vidéo.',
  'Sous-titrage Société Radio-Canada',
  "Sous-titrage ST' 501",
  'Sous-titres réalisés par la communauté d’Amara.org',
  'Vielen Dank fürs Zuschauen.',
  'Untertitel im Auftrag des ZDF für funk, 2017',
  'Untertitelung des ZDF, 2020',
  'Untertitelung. BR 2018',
  'Copyright WDR 2021',
  'Grazie per la visione!',
  'Sottotitoli creati dalla comunità Amara.org',
  'Legendas pela comunidade Amara.org',
  'Obrigado por assistir!',
])('drops "%s" as a hallucination unless speech is likely', (text) => {
  expect(keptOf(text, 0.5)).toEqual([])
  expect(keptOf(text, null)).toEqual([])
  expect(keptOf(text, 0.1)).toEqual([text])
})

test.each([
  'Thank you for coming.',
  'Gracias por venir a vernos.',
  'Gracias por verme esta tarde.',
  'Merci d’avoir attendu.',
  'Vielen Dank fürs Helfen.',
  'Untertitel brauche ich nicht, aber den Bericht schon.',
  'Subtitles are missing in the second part.',
  'Los subtítulos son de mi hermano.',
  'Sottotitoli o doppiaggio?',
])('keeps "%s"', (text) => {
  expect(keptOf(text, 0.5)).toEqual([text])
  expect(keptOf(text, null)).toEqual([text])
})
