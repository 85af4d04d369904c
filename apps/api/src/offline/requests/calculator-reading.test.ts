import type { Language } from '@mira/shared'
import { describe, expect, test } from 'vitest'
import { fastestMs } from '../../../test/fastest.ts'
import { readCalculation } from './calculator-reading.ts'

const now = new Date('2026-11-20T09:00:00Z')
const read = (language: Language, text: string) => readCalculation(text, { language, timeZone: 'UTC', now })

describe('a question for a number of days', () => {
  test.each<[Language, string, string]>([
    ['en', 'can you tell me how many days it is until Christmas', '12-25'],
    ['en', 'how many days do I have to wait until 24 December', '12-24'],
    ['en', 'how long is it until my birthday on 24 December', '12-24'],
    ['en', 'how many weeks to Christmas', '12-25'],
    ['en', 'how many days until December 24', '12-24'],
    ['en', 'how long until Dec. 24th', '12-24'],
    ['es', 'cuántos días faltan para diciembre 24', '12-24'],
    ['en', 'how many days before the exam on 12 December', '12-12'],
    ['de', 'Wie viele Tage sind es noch bis Weihnachten?', '12-25'],
    ['de', 'Wie lange dauert es noch bis zum 24. Dezember?', '12-24'],
    ['es', '¿Cuánto falta para Navidad?', '12-25'],
    ['es', '¿Cuántos días faltan para Navidad?', '12-25'],
    ['es', 'cuánto tiempo falta para el 24 de diciembre', '12-24'],
    ['fr', 'combien de jours avant Noël ?', '12-25'],
    ['fr', 'combien de jours reste-t-il avant le 24 décembre ?', '12-24'],
  ])('is read in %s: %s', (language, sentence, day) => {
    const result = read(language, sentence)
    const to = result?.kind === 'days-between' ? `${result.to.year}-${result.to.month}-${result.to.day}` : null
    expect(to).toBe(`2026-${day}`)
  })

  test.each<[Language, string]>([
    ['en', 'how many days since 1 January'],
    ['en', 'how many days since January 1'],
    ['de', 'Wie viele Tage sind seit dem 1. Januar vergangen?'],
    ['es', 'cuántos días han pasado desde el 1 de enero'],
    ['fr', 'combien de jours se sont écoulés depuis le 1er janvier'],
  ])('looks back from today in %s: %s', (language, sentence) => {
    expect(read(language, sentence)).toMatchObject({
      kind: 'days-between',
      from: { year: 2026, month: 1, day: 1 },
      to: { year: 2026, month: 11, day: 20 },
    })
  })
})

const in2025 = (month: number, day: number) => ({ year: 2025, month, day })
const in2026 = (month: number, day: number) => ({ year: 2026, month, day })

test.each<[Language, string, object, object]>([
  ['en', 'days between March 3 and July 7', in2026(3, 3), in2026(7, 7)],
  ['en', 'how many days from 1 May to 30 May', in2026(5, 1), in2026(5, 30)],
  ['en', 'how many days from January 15, 2026 to March 1, 2026', in2026(1, 15), in2026(3, 1)],
  ['en', 'days between March 3 and July 7, 2026', in2026(3, 3), in2026(7, 7)],
  ['en', 'days between November 25 and December 24, 2025', in2025(11, 25), in2025(12, 24)],
  ['en', 'how many days from now until May 30', in2026(5, 6), in2026(5, 30)],
  ['en', 'how many days from Monday to Friday', in2026(5, 4), in2026(5, 8)],
  ['en', 'how many days since December 25', in2025(12, 25), in2026(5, 6)],
  ['en', 'how many days since Friday', in2026(5, 1), in2026(5, 6)],
  ['de', 'Wie viele Tage zwischen dem 3. März und dem 7. Juli?', in2026(3, 3), in2026(7, 7)],
  ['de', 'Wie viele Tage sind es vom 3. März bis zum 7. Juli?', in2026(3, 3), in2026(7, 7)],
  ['es', 'cuántos días hay entre el 3 de marzo y el 7 de julio', in2026(3, 3), in2026(7, 7)],
  ['es', 'cuántos días hay del 3 de marzo al 7 de julio', in2026(3, 3), in2026(7, 7)],
  ['fr', 'combien de jours entre le 3 mars et le 7 juillet', in2026(3, 3), in2026(7, 7)],
  ['fr', 'combien de jours du 3 mars au 7 juillet', in2026(3, 3), in2026(7, 7)],
])('days are counted within one period in %s: %s', (language, sentence, from, to) => {
  const may = new Date('2026-05-06T09:00:00Z')
  expect(readCalculation(sentence, { language, timeZone: 'UTC', now: may })).toMatchObject({ from, to })
})

test('a day is counted from a month and its day', () => {
  const from = { year: 2027, month: 6, day: 15 }
  expect(read('en', 'what date is 30 days after June 15')).toMatchObject({ kind: 'day-at', from, days: 30 })
})

test.each([
  ['somme de 1 200 et 3 400', ['1200', '3400']],
  ['somme de 120 000 et 80 000', ['120000', '80000']],
  ['moyenne de 100 200 et 300', ['100', '200', '300']],
  ['moyenne de 100 200 300', ['100', '200', '300']],
])('groups of digits are joined in French where something else separates the numbers: %s', (sentence, numbers) => {
  expect(read('fr', sentence)).toMatchObject({ task: { kind: 'statistics', numbers } })
})

describe('isn’t a calculation', () => {
  test.each<[Language, string]>([
    // Other sentences with a length and a day
    ['en', 'I have a long drive to Munich tomorrow'],
    ['en', 'how long does it take to get to Chicago on Friday'],
    ['en', 'how long does it take to fly from Berlin to Paris in May'],
    ['en', "It's been a long week, I'll sleep until Sunday"],
    ['en', 'how many days did it rain between 1 May and 5 May'],
    ['en', 'What did we do in the days between Christmas and New Year?'],
    ['de', 'Wir sind zwei Wochen bis Sonntag in Rom'],
    ['es', 'Estamos dos semanas en Roma hasta el domingo'],
    ['fr', 'Nous sommes deux semaines à Rome avant dimanche'],
    // Questions for hours
    ['en', 'How long until 5pm?'],
    ['en', 'how long until 11am'],
    ['es', '¿cuánto falta para las 5?'],
    ['de', 'Wie lange noch bis 18 Uhr?'],
    // Years in questions to the memory
    ['en', 'What was my total spending in 2023 and 2024?'],
    ['de', 'Wie hoch war die Summe der Rechnungen 2023 und 2024?'],
    ['es', '¿Cuál fue el total de mis facturas de 2023 y 2024?'],
    ['fr', 'Quelle est la somme de mes factures de 2023 et 2024 ?'],
    ['en', 'total of 2023 and 2024'],
    ['en', 'What does 10-4 mean?'],
    // Dates, telephone numbers and others
    ['en', '24/12/2026'],
    ['de', '20-11-2026'],
    ['en', '2026/11/20'],
    ['en', '541-754-3010'],
    ['en', '(541) 754-3010'],
    ['en', '1-800-555-0199'],
    ['de', '0176-12345678'],
    ['de', '030/123456'],
    ['fr', '+33 6-12-34-56-78'],
    ['en', '978-3-16-148410-0'],
    ['en', '2019-2021'],
  ])('%s: %s', (language, sentence) => {
    expect(read(language, sentence)).toBeNull()
  })
})

test.each<[Language, string, string]>([
  ['en', 'What is 15% of 1’500?', '15 / 100 * 1500'],
  ['de', "Was ist 15% von 1'500?", '15 / 100 * 1500'],
  ['de', "200 + 1'234'567", '200 + 1234567'],
  ['en', '5\'11" in cm', '(5 ft + 11 inch) to cm'],
  ['en', 'what is 3,5 * 2', '3.5 * 2'],
  ['en', '0,125 * 8', '0.125 * 8'],
  ['en', '1,234 * 2', '1234 * 2'],
  ['en', '1000-250', '1000-250'],
  ['en', '100-50-25', '100-50-25'],
  ['en', '24/12/2026 =', '24/12/2026'],
])('a number is read as it’s written in %s: %s', (language, sentence, expression) => {
  expect(read(language, sentence)).toMatchObject({ task: { expression } })
})

test.each([
  ['average of 3, 4, 8', ['3', '4', '8']],
  ['average and sum of 3, 4 and 8', ['3', '4', '8']],
  ['what is the average of these 3: 1, 2, 6', ['1', '2', '6']],
  ['3, 4, 8: average', ['3', '4', '8']],
  ['Total\n12\n2024', ['12', '2024']],
])('a list is found after its figure or before it: %j', (sentence, numbers) => {
  expect(read('en', sentence)).toMatchObject({ task: { kind: 'statistics', numbers } })
})

test.each([
  `total 1${' '.repeat(19_000)}x2`,
  `total 1${'e,. '.repeat(4800)}x2`,
  `total ${'1, '.repeat(6000)}x`,
  `sum: ${'of '.repeat(6000)}1 2`,
  `sum ${'value '.repeat(3000)}x 1 2`,
])('a long text is read within 50 ms', async (text) => {
  expect(await fastestMs(() => void read('en', text))).toBeLessThan(50)
})
