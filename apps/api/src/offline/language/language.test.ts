import { describe, expect, test } from 'vitest'
import { fastestMs } from '../../../test/fastest.ts'
import { guessLanguage, searchConfiguration } from './language.ts'

describe('the language of a text', () => {
  test.each([
    ['en', 'hello'],
    ['en', 'Hello, who are you?'],
    ['en', 'What did I say about the dentist?'],
    ['en', 'Please summarise this for my boss'],
    ['es', 'hola'],
    ['es', '¿Qué puedes hacer?'],
    ['es', 'cuándo es mi cita con el dentista'],
    ['fr', 'bonjour'],
    ['fr', 'Que peux-tu faire ?'],
    ['fr', 'quand est mon rendez-vous chez le dentiste'],
    ['fr', "C'est horrible"],
    ['fr', 'Que dit « lease.txt » ?'],
    ['fr', 'Que dit le bail ?'],
    ['es', 'Que dice el contrato'],
    ['es', 'Qué vence pronto'],
    ['es', 'que documento habla de seguros'],
    ['de', 'hallo'],
    ['de', 'Was kannst du?'],
    ['de', 'Wie war der Name des Restaurants in Lyon?'],
    ['de', 'Zahnarzttermin verschieben'],
    ['de', 'Gibt es Neuigkeiten?'],
    ['es', 'es mi cumpleaños'],
    ['fr', 'comment va ton chat'],
  ] as const)('is %s for "%s"', (language, text) => {
    expect(guessLanguage(text)).toBe(language)
  })

  test.each([
    ...['', 'ok', '12345', '🌊🌊🌊', 'xq', 'こんにちは、お元気ですか', 'Ciao, come stai oggi?'],
    // Words of two languages
    ...[
      'Regnet es in Paris?',
      'Schneit es in Bern?',
      'bin collection dates',
      'Red Hat invoice',
      'Big Sur photos',
      'comment section',
    ],
  ])('is null when unsure or unsupported: "%s"', (text) => {
    expect(guessLanguage(text)).toBe(null)
  })

  test('is guessed for a text of 32,000 characters within 50 ms', async () => {
    const text = 'Das ist ein langer Satz über das Wetter in Hamburg. '.repeat(650)
    expect(await fastestMs(() => expect(guessLanguage(text)).toBe('de'))).toBeLessThan(50)
  })
})

test('maps a language to its text search configuration', () => {
  expect(searchConfiguration('de')).toBe('german')
  expect(searchConfiguration(null)).toBe('simple')
})
