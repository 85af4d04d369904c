import type { Language } from '@mira/shared'
import { afterAll, describe, expect, test } from 'vitest'
import { createMathEngine } from '../../../../offline/math/math.ts'
import { createCalculator } from './calculator.ts'

const somebody = { userId: 'somebody', canSearchMemory: false, canReadStored: false }

const math = createMathEngine()
const calculator = createCalculator({ math })
afterAll(() => math.close())

// late in the evening in UTC: in Berlin it is already the 21st
const now = new Date('2026-11-20T23:30:00Z')
const ask = (language: Language, input: string, timeZone = 'UTC') =>
  calculator.run(input, { ...somebody, language, timeZone, now })

describe('CalculatorAgent answers', () => {
  test.each<[Language, string, string]>([
    ['en', 'What is 15% of 80?', '= 12'],
    ['en', '2 + 2 =', '= 4'],
    ['en', 'What is 2 to the power of 10?', '= 1024'],
    ['en', '1,234.5 * 2', '= 2469'],
    ['en', '10!', '= 3628800'],
    ['en', 'square root of 2', '≈ 1.4142135623731'],
    ['en', 'increase 80 by 15%', '= 92'],
    ['en', '12 is what percent of 80', '= 15'],
    ['en', '5 miles in km', '= 8.04672 km'],
    ['en', '5 ft 11 in cm', '= 180.34 cm'],
    ['en', '5 feet 11 inches in cm', '= 180.34 cm'],
    ['en', '1 h 30 min in minutes', '= 90 minutes'],
    ['en', 'what is 20% off 59.90', '= 47.92'],
    ['en', 'convert 20 °C to fahrenheit', '= 68 degF'],
    ['en', 'how many days until 24 December?', '34 days'],
    ['en', 'days until Christmas', '35 days'],
    ['en', 'how many weeks until 1 June', '27 weeks and 4 days'],
    ['en', 'days between 2026-01-01 and 2026-03-01', '59 days'],
    ['en', 'what day is 90 days from now', 'Thursday, 18 February 2027'],
    ['en', 'what was the date 3 weeks ago', 'Friday, 30 October 2026'],
    ['en', 'when was 90 days ago', 'Saturday, 22 August 2026'],
    ['en', 'date 90 days from now', 'Thursday, 18 February 2027'],
    ['en', 'tell me the date 90 days from now', 'Thursday, 18 February 2027'],
    ['de', 'Sag mir das Datum in 90 Tagen', 'Donnerstag, 18. Februar 2027'],
    ['de', 'Wann war vor 90 Tagen?', 'Samstag, 22. August 2026'],
    ['es', 'dime la fecha hace 3 semanas', 'viernes, 30 de octubre de 2026'],
    ['fr', 'la date il y a 3 semaines', 'vendredi 30 octobre 2026'],
    ['en', '45 days ago', 'Tuesday, 6 October 2026'],
    ['en', 'solve x^2 - 5x + 6 = 0', 'Solutions: x = 3, x = 2'],
    ['en', 'average of 3, 4, 8', 'Mean: 5'],
    ['en', '3\n4\n5.5', 'Count: 3'],
    ['de', 'Was ist 15% von 80?', '= 12'],
    ['de', '3,5 * 2', '= 7'],
    ['de', '5 Meilen in km', '= 8,04672 km'],
    ['de', '10 Pfund in Kilo', '= 5 kg'],
    ['de', '3 Pfund + 2 Pfund in kg', '= 2,5 kg'],
    ['fr', '3 livres en grammes', '= 1500 g'],
    ['en', '10 pounds in kg', '= 4.5359237 kg'],
    ['de', 'Wie viele Tage bis 24. Dezember?', '34 Tage'],
    ['es', '¿Cuánto es 15% de 80?', '= 12'],
    ['es', '¿Cuánto es el 15 % de 80?', '= 12'],
    ['es', '¿cuál es la raíz cuadrada de 144?', '= 12'],
    ['fr', 'quelle est la racine carrée de 144 ?', '= 12'],
    ['de', 'Was ist die Wurzel aus 144?', '= 12'],
    ['es', 'días hasta el 24 de diciembre', '34 días'],
    ['fr', 'Combien font 15% de 80 ?', '= 12'],
    ['fr', "combien de jours jusqu'au 24 décembre ?", '34 jours'],
    ['fr', 'moyenne de 3, 4 et 8', 'Moyenne\u00a0: 5'],
    ['en', 'What’s 15% of 80?', '= 12'],
    ['fr', 'combien de jours jusqu’au 24 décembre ?', '34 jours'],
    ['en', '5’ 11” in cm', '= 180.34 cm'],
    ['de', 'Wie viel sind 10 Fuß in Metern?', '= 3,048 m'],
    ['fr', 'écart-type de 2, 4 et 6', 'Écart-type\u00a0: 2'],
    ['de', 'Was ist 1.500 mal 12?', '= 18000'],
    ['es', '¿Cuánto es 1.234.567 + 1?', '= 1234568'],
    ['fr', 'Combien font 1 500 + 200 ?', '= 1700'],
    ['de', '0.125 * 8', '= 1'],
    ['en', '1.500 * 2', '= 3'],
    ['en', 'what is seventeen plus three?', '= 20'],
    ['en', '3 million divided by 400 thousand', '= 7.5'],
    ['en', 'two hundred and five times twenty-one', '= 4305'],
    ['en', 'find the square root of forty nine', '= 7'],
    ['en', 'can you tell me what 30% off 279 is', '= 195.3'],
    ['en', 'tell me the answer to 1000 divided by 40, please', '= 25'],
    ['en', 'can you add 5 and 89', '= 94'],
    ['en', 'subtract 60 from 244', '= 184'],
    ['en', 'what is 10 to the 3rd power', '= 1000'],
    ['en', 'what is 18 percent of $2500', '= 450'],
    ['en', "what's a 15% tip on a 40 dollar bill", '= 6'],
    ['en', 'how many ounces are in 4 pounds', '= 64 ounces'],
    ['en', 'how many ounces in a cup', '= 8 fluidounce'],
    ['en', 'how do you convert inches to centimeters', '= 2.54 centimeters'],
    ['en', 'how many seconds are in half an hour', '= 1800 seconds'],
    ['de', 'Wie viel ist sieben mal acht?', '= 56'],
    ['es', '¿cuánto es siete por ocho?', '= 56'],
    ['fr', 'combien font sept fois huit ?', '= 56'],
    ['fr', 'soixante-dix plus cinq', '= 75'],
    ['fr', 'quatre-vingt-dix moins trois', '= 87'],
    ['fr', 'vingt et un plus quatre-vingts', '= 101'],
    ['es', 'treinta y cinco más dos', '= 37'],
    ['de', 'fünfundzwanzig plus drei', '= 28'],
    ['de', 'Was ist drei und vier?', '= 7'],
    ['en', 'a hundred and five plus two', '= 107'],
    ['en', 'a thousand two hundred plus one', '= 1201'],
    ['en', 'a thousand and five plus one', '= 1006'],
    ['fr', 'mille neuf cent plus un', '= 1901'],
    ['de', 'tausend zwei hundert plus eins', '= 1201'],
    ['es', 'ciento veinte más uno', '= 121'],
    ['es', 'mil doscientos veinticinco más uno', '= 1226'],
    ['fr', 'deux cents plus trois', '= 203'],
    ['es', '5 pulgadas en centímetros', '= 12,7 cm'],
    ['es', 'convierte 5 centímetros a milímetros', '= 50 mm'],
    ['de', '5 Zentimeter in Millimeter', '= 50 mm'],
    ['de', '2 Liter in Milliliter', '= 2000 ml'],
    ['fr', '3 centimètres en mètres', '= 0,03 m'],
    ['en', '20 knots in km/h', '= 37.04 km / h'],
    ['en', '2000 kcal in kJ', '= 8368 kJ'],
    ['en', '2000 calories in kJ', '= 8.368 kJ'],
    ['en', 'what’s 50 degrees in celsius', '= 10 degC'],
    ['de', '20 Grad in Fahrenheit', '= 68 degF'],
    ['es', '20 grados en Fahrenheit', '= 68 degF'],
    ['fr', '20 degrés en Fahrenheit', '= 68 degF'],
  ])('%s: %s', async (language, input, summary) => {
    expect((await ask(language, input)).summary).toBe(summary)
  })

  test('with "today" in the user’s time zone', async () => {
    expect((await ask('en', 'days until 24 December', 'Europe/Berlin')).summary).toBe('33 days')
  })
})

describe('CalculatorAgent rejects as not a calculation', () => {
  test.each([
    'Hello there',
    'What happened in 2024?',
    'I have 3 dogs and 4 cats',
    'call me at 555-1234',
    '2026-11-20',
    '42',
    'process.exit(1)',
    'the price is 5-10 euros',
    '3 m 20 in cm',
    'how many meetings will I have in total between 2 and 5',
    'how many days off have I taken since January',
    'I want to take a vacation day from 2/24 to 2/25',
    'book a table for 45 weeks from now',
    'what is the forecast 12 days from now',
    'phones with a minimum of 15 hours and a maximum weight of 200 grams',
    'one of my friends has two dogs',
    'convert this text to upper case',
    'two to four',
    'nine to five',
    'ten to five',
    'two to three weeks',
    'plus 3',
    'drei und vier',
    '5 6 + 3',
  ])('%s', async (input) => {
    expect(calculator.confidence(input, { language: 'en', timeZone: 'UTC', now })).toBe(0)
    await expect(ask('en', input)).rejects.toMatchObject({ code: 'not_a_calculation' })
  })
})

test.each<[Language, string, string]>([
  ['en', '9^9^9^9', 'The result has too many digits.'],
  ['es', '9^9^9^9', 'El resultado tiene demasiadas cifras.'],
  ['fr', '9^9^9^9', 'Le résultat a trop de chiffres.'],
  ['de', '9^9^9^9', 'Das Ergebnis hat zu viele Stellen.'],
  ['en', '5 kg in m', "This couldn’t be worked out: Units do not match ('m' != '5 kg')"],
  ['de', '5 kg in m', "Das ließ sich nicht ausrechnen: Units do not match ('m' != '5 kg')"],
  ['de', '1/0', 'Das hat kein endliches Ergebnis (eine Division durch null?).'],
])('%s: %s is rejected with the reason', async (language, input, reason) => {
  await expect(ask(language, input)).rejects.toMatchObject({
    status: 400,
    message: reason,
    code: 'calculation_refused',
  })
})

test('a sentence crafted to cause regex backtracking is rejected quickly', () => {
  const hostile = `1 ${'days '.repeat(15)}entre${' '.repeat(154)}y${' '.repeat(154)}x\nx`
  expect(calculator.confidence(hostile, { language: 'en', timeZone: 'UTC', now })).toBe(0)
})
