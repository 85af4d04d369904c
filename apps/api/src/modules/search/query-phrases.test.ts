import { readFileSync } from 'node:fs'
import { DateTime } from 'luxon'
import { describe, expect, test } from 'vitest'
import { understandPhrases } from './query-phrases.ts'

const timeZone = 'Europe/Berlin'
const now = new Date('2026-11-19T13:00:00Z')

interface Example {
  query: string
  language: string
  mediaTypes: string
  days: string
  remaining: string[]
}

/** Examples of a file, whose first lines describe the format. */
function readExamples(name: string): Example[] {
  const lines = readFileSync(new URL(`../../../test/query-phrases/${name}`, import.meta.url), 'utf8').split('\n')
  let language = 'en'
  return lines.flatMap((line) => {
    const section = /^\[(\w+)\]$/.exec(line)?.[1]
    language = section ?? language
    if (section !== undefined || line.trim() === '' || line.startsWith('#')) return []
    const [query = '', mediaTypes = '', days = '', remaining = ''] = line.split('|').map((part) => part.trim())
    return [{ query, language, mediaTypes, days, remaining: remaining === '' ? [] : remaining.split(' ') }]
  })
}

const dayOf = (moment: Date | undefined) =>
  moment === undefined ? '' : (DateTime.fromJSDate(moment, { zone: timeZone }).toISODate() ?? '')

/** Understood parts of a query, in the test file's notation. */
function understand({ query, language, remaining }: Example): Omit<Example, 'query' | 'language'> {
  const { text, mediaTypes = [], from, to } = understandPhrases(query, { now, timeZone, language })
  return {
    mediaTypes: mediaTypes.join(','),
    days: from || to ? `${dayOf(from)}..${dayOf(to)}` : '',
    remaining: remaining.filter((word) => text.toLowerCase().includes(word)),
  }
}

const isRight = (example: Example) => {
  const { query: _query, language: _language, ...expected } = example
  return JSON.stringify(understand(example)) === JSON.stringify(expected)
}

describe('a query in words', () => {
  test.each(readExamples('built-with.txt'))('"$query" is understood', (example) => {
    const { query: _query, language: _language, ...expected } = example
    expect(understand(example)).toEqual(expected)
  })

  test.each(readExamples('spoken.txt'))('"$query" is understood as it is spoken', (example) => {
    const { query: _query, language: _language, ...expected } = example
    expect(understand(example)).toEqual(expected)
  })

  test.each(['en', 'es', 'fr', 'de'])('at least nine of ten held-out queries are understood in %s', (language) => {
    const examples = readExamples('held-out.txt').filter((one) => one.language === language)
    const wrong = examples
      .filter((example) => !isRight(example))
      .map((example) => ({ ...example, understood: understand(example) }))
    expect(examples.length).toBeGreaterThanOrEqual(25)
    expect(wrong.length / examples.length, JSON.stringify(wrong, null, 1)).toBeLessThanOrEqual(0.1)
  })

  const reader = { now, timeZone, language: 'en' }

  test('gives its phrases as written, their combined meaning, and the remaining text', () => {
    expect(understandPhrases('What did Anna say in the recording from Tuesday?', reader)).toEqual({
      text: 'What did Anna say?',
      textWithoutTimes: 'What did Anna say in the recording?',
      isOnlyPhrases: false,
      mediaTypes: ['audio'],
      from: new Date('2026-11-16T23:00:00Z'),
      to: new Date('2026-11-17T23:00:00Z'),
      phrases: [
        { text: 'in the recording', kind: 'type', mediaTypes: ['audio'] },
        {
          text: 'from Tuesday',
          kind: 'time',
          from: new Date('2026-11-16T23:00:00Z'),
          to: new Date('2026-11-17T23:00:00Z'),
        },
      ],
      days: [{ first: '2026-11-17', last: '2026-11-17', isYearly: false }],
    })
  })

  test.each([
    ['the storm in March 2025', [{ first: '2025-03-01', last: '2025-03-31', isYearly: false }]],
    ['the storm in March', [{ first: '2026-03-01', last: '2026-03-31', isYearly: true }]],
    ['der Sturm am 9. März', [{ first: '2026-03-09', last: '2026-03-09', isYearly: true }]],
    ['la tormenta a finales de marzo', [{ first: '2026-03-21', last: '2026-03-31', isYearly: true }]],
    ['the storm last Tuesday', [{ first: '2026-11-17', last: '2026-11-17', isYearly: false }]],
    ['storms since 2025', [{ first: '2025-01-01', last: null, isYearly: false }]],
    ['the storm', undefined],
  ])('gives the days that a text may name: %s', (query, days) => {
    expect(understandPhrases(query, reader).days).toEqual(days)
  })

  test('keeps its words when it consists only of times and types', () => {
    for (const query of ['photos from last summer', 'Zeig mir alle meine Videos', 'yesterday', 'les photos de mai']) {
      expect(understandPhrases(query, reader)).toMatchObject({ text: query, isOnlyPhrases: true })
    }
    expect(understandPhrases('lighthouse', reader)).toEqual({
      text: 'lighthouse',
      textWithoutTimes: 'lighthouse',
      isOnlyPhrases: false,
      phrases: [],
    })
  })

  test.each([
    ['what does the voice note say?', 'en', ['audio']],
    ['Was wird in den Videos gesagt?', 'de', ['video']],
    ['¿qué dice el documento?', 'es', ['document']],
  ])('counts a question about nothing but a type as one of types: %s', (query, language, mediaTypes) => {
    expect(understandPhrases(query, { ...reader, language })).toMatchObject({ isOnlyPhrases: true, mediaTypes })
  })

  test.each([
    ['photos I uploaded yesterday', 'en', true],
    ['fotos subidas ayer', 'es', true],
    ['gestern hochgeladene Fotos', 'de', true],
    ['les photos ajoutées hier', 'fr', true],
    ['fotos que guardé ayer', 'es', true],
    ['photos from yesterday', 'en', undefined],
    ['documents about value added tax from March 2024', 'en', undefined],
    ['fotos de cuando subí al Teide en 2019', 'es', undefined],
    ['opération que j’ai subi en 2023', 'fr', undefined],
    ['uploaded photos', 'en', undefined],
  ])('distinguishes the time added from the time taken: %s', (query, language, isByTimeAdded) => {
    expect(understandPhrases(query, { ...reader, language }).isByTimeAdded).toBe(isByTimeAdded)
  })

  test('treats a literal phrase as words, and still understands the others', () => {
    const { text, phrases } = understandPhrases('the song Last Summer in my videos', {
      ...reader,
      literal: ['last summer'],
    })
    expect(text).toBe('the song Last Summer')
    expect(phrases.map((phrase) => phrase.text)).toEqual(['in my videos'])
  })

  test('leaves quotes and filters unchanged', () => {
    for (const query of ['"last summer" album', '„im Mai“ Lied', 'before:2026-05 lighthouse', 'tag:photos red']) {
      expect(understandPhrases(query, reader)).toEqual({
        text: query,
        textWithoutTimes: query,
        isOnlyPhrases: false,
        phrases: [],
      })
    }
  })

  test('may mix languages, and a word in two of them is read in the user’s language', () => {
    expect(understandPhrases('invoice vom letzten Monat', reader).text).toBe('invoice')
    expect(understandPhrases('le chat hier', { ...reader, language: 'fr' }).text).toBe('le chat')
    expect(understandPhrases('die Katze hier', { ...reader, language: 'de' }).phrases).toEqual([])
  })

  test('combines two times to their intersection, or else to their span', () => {
    const { from, to } = understandPhrases('the storm last year in July', reader)
    expect([dayOf(from), dayOf(to)]).toEqual(['2025-07-01', '2025-08-01'])
    const spanned = understandPhrases('storms in 2019 or in 2021', reader)
    expect([dayOf(spanned.from), dayOf(spanned.to)]).toEqual(['2019-01-01', '2022-01-01'])
    const common = understandPhrases('the storm this year, after May', reader)
    expect([dayOf(common.from), dayOf(common.to)]).toEqual(['2026-06-01', '2027-01-01'])
  })

  test('uses days of the user’s time zone, and summer in January on the southern hemisphere', () => {
    const late = { ...reader, now: new Date('2026-11-19T23:30:00Z') }
    expect(dayOf(understandPhrases('cake yesterday', late).from)).toBe('2026-11-19')
    const { from, to } = understandPhrases('beach last summer', { ...reader, timeZone: 'Australia/Sydney' })
    expect([from, to]).toEqual([new Date('2025-11-30T13:00:00Z'), new Date('2026-02-28T13:00:00Z')])
  })

  test.each([
    ['en', 'a year ago', 'photos one year ago today', 'today last year', 'on this day last year'],
    ['de', 'vor einem Jahr', 'Fotos heute vor einem Jahr', 'heute letztes Jahr', 'letztes Jahr am selben Tag'],
    ['fr', 'il y a un an', 'photos aujourd’hui il y a un an', 'le même jour l’an dernier', 'il y a un an aujourd’hui'],
    ['es', 'hace un año', 'fotos hoy hace un año', 'hoy del año pasado', 'el año pasado este mismo día'],
  ])('knows the day a year ago, in %s', (language, ...queries) => {
    const yearAgo = DateTime.fromJSDate(now, { zone: timeZone }).minus({ years: 1 })
    for (const query of queries) {
      const { from, to } = understandPhrases(query, { ...reader, language })
      const day = [yearAgo.toISODate(), yearAgo.plus({ days: 1 }).toISODate()]
      expect({ query, day: [dayOf(from), dayOf(to)] }).toEqual({ query, day })
    }
  })

  test.each([
    ['en', 'two years ago today'],
    ['de', 'heute vor zwei Jahren'],
    ['fr', 'il y a deux ans jour pour jour'],
    ['es', 'hoy hace dos años'],
  ])('knows the day some years ago, in %s', (language, query) => {
    const { from, to } = understandPhrases(query, { ...reader, language })
    const day = DateTime.fromJSDate(now, { zone: timeZone }).minus({ years: 2 })
    expect([dayOf(from), dayOf(to)]).toEqual([day.toISODate(), day.plus({ days: 1 }).toISODate()])
  })

  test('ignores future and nonexistent days', () => {
    for (const query of ['goals in 2031', 'paid on 31 February', 'due 2026-13-01']) {
      expect(understandPhrases(query, reader).phrases).toEqual([])
    }
  })
})
