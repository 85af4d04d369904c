import { describe, expect, test } from 'vitest'
import { parseQuery } from './understand.ts'

const emptyQuery = { words: [], phrases: [], excluded: [], types: null, tags: [], from: null, to: null }
const parse = (text: string, timeZone = 'UTC') => parseQuery(text, timeZone)

describe('a query', () => {
  test('consists of words, quoted phrases, filters and exclusions', () => {
    expect(parse('red bike type:video tag:home before:2026-05 "in the rain" -snow -"very cold"')).toEqual({
      words: ['red', 'bike'],
      phrases: ['in the rain'],
      excluded: ['snow', 'very', 'cold'],
      types: ['video'],
      tags: ['home'],
      from: null,
      to: new Date('2026-05-01T00:00:00Z'),
    })
  })

  test.each([
    ['before:2026', { to: '2026-01-01T00:00:00Z' }],
    ['before:2026-05', { to: '2026-05-01T00:00:00Z' }],
    ['after:2026-01-31', { from: '2026-01-31T00:00:00Z' }],
    ['after:2025 before:2026-02 before:2026 after:2024', { from: '2025-01-01T00:00:00Z', to: '2026-01-01T00:00:00Z' }],
  ])('%s starts with the day, month or year', (text, { from, to }: { from?: string; to?: string }) => {
    expect(parse(text)).toEqual({ ...emptyQuery, from: from ? new Date(from) : null, to: to ? new Date(to) : null })
  })

  test.each([
    ['Europe/Berlin', 'after:2026-07-01', '2026-06-30T22:00:00.000Z'],
    ['America/New_York', 'after:2026-01-01', '2026-01-01T05:00:00.000Z'],
    ['Asia/Kolkata', 'after:2026-01-01', '2025-12-31T18:30:00.000Z'],
    // clocks go forward at midnight of this day
    ['America/Santiago', 'after:2026-09-07', '2026-09-07T03:00:00.000Z'],
    ['Europe/Berlin', 'after:2026-03-29', '2026-03-28T23:00:00.000Z'],
    ['Europe/Berlin', 'after:2026-03-30', '2026-03-29T22:00:00.000Z'],
  ])('in %s, %s is %s', (timeZone, text, expected) => {
    expect(parse(text, timeZone).from?.toISOString()).toBe(expected)
  })

  test('accepts common names of types, and several of them', () => {
    expect(parse('TYPE:Photo type:films').types).toEqual(['image', 'video'])
  })

  test('may have spaces in a tag', () => {
    expect(parse('tag:"Summer House"').tags).toEqual(['summer house'])
  })

  test.each([
    'type:spaceship',
    'type:constructor',
    'before:2026-13',
    'before:2026-02-30',
    'after:yesterday',
    'before:',
    'colour:red',
    'https://example.org/x',
    '12:30',
  ])('takes %s, which isn’t a filter, as a plain word', (text) => {
    expect(parse(text)).toEqual({ ...emptyQuery, words: [text] })
  })

  test('keeps an unclosed quote and a dash in a word or before a number', () => {
    expect(parse('"open well-known -5').words).toEqual(['"open', 'well-known', '-5'])
  })

  test('understands typographic quotes', () => {
    expect(parse('“one two” „drei vier“ «cinq six»').phrases).toEqual(['one two', 'drei vier', 'cinq six'])
  })

  test('has a limited number of phrases and exclusions', () => {
    const { words, phrases, excluded } = parse(`${'w '.repeat(500)}${'"p p" '.repeat(50)}${'-no '.repeat(50)}`)
    expect([words.length, phrases.length, excluded.length]).toEqual([500, 4, 8])
  })

  test('is empty when there is nothing to find', () => {
    for (const text of ['', '  ', '""', '!?', '🎉', '-', '"…"']) expect(parse(text)).toEqual(emptyQuery)
  })
})
