import { readFileSync } from 'node:fs'
import { DateTime } from 'luxon'
import { describe, expect, test } from 'vitest'
import { understandPhrases } from './query-phrases.ts'

const timeZone = 'Europe/Berlin'
const now = new Date('2026-11-19T13:00:00Z')

interface Asked {
  query: string
  language: string
  mediaTypes: string
  days: string
  remaining: string[]
}

/** The queries of a file, as its first lines describe them. */
function readAsked(name: string): Asked[] {
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
function understand({ query, language, remaining }: Asked): Omit<Asked, 'query' | 'language'> {
  const { text, mediaTypes = [], from, to } = understandPhrases(query, { now, timeZone, language })
  return {
    mediaTypes: mediaTypes.join(','),
    days: from || to ? `${dayOf(from)}..${dayOf(to)}` : '',
    remaining: remaining.filter((word) => text.toLowerCase().includes(word)),
  }
}

const isRight = (example: Asked) => {
  const { query: _query, language: _language, ...expected } = example
  return JSON.stringify(understand(example)) === JSON.stringify(expected)
}

describe('a query in words', () => {
  test.each(readAsked('built-with.txt'))('"$query" is understood', (example) => {
    const { query: _query, language: _language, ...expected } = example
    expect(understand(example)).toEqual(expected)
  })

  test.each(readAsked('spoken.txt'))('"$query" is understood as it is spoken', (example) => {
    const { query: _query, language: _language, ...expected } = example
    expect(understand(example)).toEqual(expected)
  })

  test.each(['en', 'es', 'fr', 'de'])('nine of ten that nobody built for are understood in %s', (language) => {
    const examples = readAsked('held-out.txt').filter((one) => one.language === language)
    const wrong = examples
      .filter((example) => !isRight(example))
      .map((example) => ({ ...example, understood: understand(example) }))
    expect(examples.length).toBeGreaterThanOrEqual(25)
    expect(wrong.length / examples.length, JSON.stringify(wrong, null, 1)).toBeLessThanOrEqual(0.1)
  })

  const reader = { now, timeZone, language: 'en' }

  test('tells its phrases as they stand there, what they say together, and what is left to look for', () => {
    expect(understandPhrases('What did Anna say in the recording from Tuesday?', reader)).toEqual({
      text: 'What did Anna say?',
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
  ])('tells the days that a text may name: %s', (query, days) => {
    expect(understandPhrases(query, reader).days).toEqual(days)
  })

  test('keeps its words when it says nothing but times and kinds', () => {
    for (const query of ['photos from last summer', 'Zeig mir alle meine Videos', 'yesterday', 'les photos de mai']) {
      expect(understandPhrases(query, reader)).toMatchObject({ text: query, isOnlyPhrases: true })
    }
    expect(understandPhrases('lighthouse', reader)).toEqual({ text: 'lighthouse', isOnlyPhrases: false, phrases: [] })
  })

  test('takes a phrase as words when it is said to be literal, and goes on with the others', () => {
    const { text, phrases } = understandPhrases('the song Last Summer in my videos', {
      ...reader,
      literal: ['last summer'],
    })
    expect(text).toBe('the song Last Summer')
    expect(phrases.map((phrase) => phrase.text)).toEqual(['in my videos'])
  })

  test('leaves what is in quotes and what is a filter as it is', () => {
    for (const query of ['"last summer" album', '„im Mai“ Lied', 'before:2026-05 lighthouse', 'tag:photos red']) {
      expect(understandPhrases(query, reader)).toEqual({ text: query, isOnlyPhrases: false, phrases: [] })
    }
  })

  test('may mix languages, and asks the language of the text about a word that two of them have', () => {
    expect(understandPhrases('invoice vom letzten Monat', reader).text).toBe('invoice')
    expect(understandPhrases('le chat hier', { ...reader, language: 'fr' }).text).toBe('le chat')
    expect(understandPhrases('die Katze hier', { ...reader, language: 'de' }).phrases).toEqual([])
  })

  test('joins two times to what they have in common, else to what they span', () => {
    const { from, to } = understandPhrases('the storm last year in July', reader)
    expect([dayOf(from), dayOf(to)]).toEqual(['2025-07-01', '2025-08-01'])
    const spanned = understandPhrases('storms in 2019 or in 2021', reader)
    expect([dayOf(spanned.from), dayOf(spanned.to)]).toEqual(['2019-01-01', '2022-01-01'])
    const common = understandPhrases('the storm this year, after May', reader)
    expect([dayOf(common.from), dayOf(common.to)]).toEqual(['2026-06-01', '2027-01-01'])
  })

  test('counts days in the time zone of who asks, and has summer in January where the clocks say so', () => {
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
  ])('knows the day some years ago, in %s, and else the year', (language, query) => {
    const { from, to } = understandPhrases(query, { ...reader, language })
    const day = DateTime.fromJSDate(now, { zone: timeZone }).minus({ years: 2 })
    expect([dayOf(from), dayOf(to)]).toEqual([day.toISODate(), day.plus({ days: 1 }).toISODate()])
  })

  test('is never of the future, and has no day that does not exist', () => {
    for (const query of ['goals in 2031', 'paid on 31 February', 'due 2026-13-01']) {
      expect(understandPhrases(query, reader).phrases).toEqual([])
    }
  })
})
