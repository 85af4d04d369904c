import { describe, expect, test } from 'vitest'
import { type RequestedDay, readWeatherQuestion, weatherConfidence } from './weather-reading.ts'

const in_ = (days: number): RequestedDay => ({ kind: 'offset', days })
const on = (weekday: number): RequestedDay => ({ kind: 'weekday', weekday })

describe('a question about the weather', () => {
  test.each<[string, string | null, RequestedDay | null]>([
    ['weather in Lyon tomorrow', 'Lyon', in_(1)],
    ['🌧 weather in Lyon tomorrow', 'Lyon', in_(1)],
    ['Que\u0301 tiempo hara\u0301 en Sevilla man\u0303ana', 'Sevilla', in_(1)],
    ['What is the weather like in New York today?', 'New York', in_(0)],
    ["what's the weather in Paris, France", 'Paris, France', null],
    ['Will it rain in Madrid on Sunday?', 'Madrid', on(0)],
    ['will it rain tomorrow in Frankfurt am Main', 'Frankfurt am Main', in_(1)],
    ['temperature in Berlin right now', 'Berlin', null],
    ['How cold is it in Rio de Janeiro?', 'Rio de Janeiro', null],
    ['London weather', 'London', null],
    ['forecast for Oslo in 3 days', 'Oslo', in_(3)],
    ['Do I need an umbrella in Porto this weekend?', 'Porto', on(6)],
    ['weather in Lyon on 2026-12-24', 'Lyon', { kind: 'date', year: 2026, month: 12, day: 24 }],
    ['weather in Lyon on December 24', 'Lyon', { kind: 'date', year: null, month: 12, day: 24 }],
    ['weather', null, null],
    ['what is the weather tomorrow?', null, in_(1)],
    ['¿lloverá mañana en Madrid?', 'Madrid', in_(1)],
    ['¿Qué tiempo hace en São Paulo?', 'São Paulo', null],
    ['¿Qué tiempo hará pasado mañana en Sevilla?', 'Sevilla', in_(2)],
    ['el tiempo en Ciudad de México el lunes', 'Ciudad de México', on(1)],
    ['¿Hace frío en Bilbao ahora mismo?', 'Bilbao', null],
    ['pronóstico para Lima el 24 de diciembre', 'Lima', { kind: 'date', year: null, month: 12, day: 24 }],
    ['¿Va a llover en La Paz?', 'La Paz', null],
    ['Quel temps fait-il à Lyon ?', 'Lyon', null],
    ['Quel temps fera-t-il demain à Marseille ?', 'Marseille', in_(1)],
    ['météo Lille après-demain', 'Lille', in_(2)],
    ["Est-ce qu'il va pleuvoir à Brest samedi ?", 'Brest', on(6)],
    ['la météo de Genève', 'Genève', null],
    ["Va-t-il neiger à Grenoble aujourd'hui ?", 'Grenoble', in_(0)],
    ['Wie ist das Wetter in München morgen?', 'München', in_(1)],
    ['Wetter Hamburg übermorgen', 'Hamburg', in_(2)],
    ['Regnet es heute Abend in Köln?', 'Köln', in_(0)],
    ['Wie warm wird es am Freitag in Wien?', 'Wien', on(5)],
    ['Brauche ich in Zürich einen Regenschirm?', 'Zürich', null],
    ["What's the weather in Paris this week?", 'Paris', null],
    ['weather in Oslo over the next few days', 'Oslo', null],
    ['forecast for Porto next week', 'Porto', null],
    ['weather in Lyon next weekend', 'Lyon', on(6)],
    ['weather in Lyon Tuesday evening', 'Lyon', on(2)],
    ['weather in Lyon on 24/12', 'Lyon', { kind: 'date', year: null, month: 12, day: 24 }],
    ['Wetter in Berlin nächste Woche', 'Berlin', null],
    ['Wetter in Berlin in den nächsten Tagen', 'Berlin', null],
    ['Wetter in Berlin nächsten Montag', 'Berlin', on(1)],
    ['Wie wird das Wetter in Köln am kommenden Wochenende?', 'Köln', on(6)],
    ['Regnet es in Köln am Samstagabend?', 'Köln', on(6)],
    ['Wetter in Berlin am 24.12.', 'Berlin', { kind: 'date', year: null, month: 12, day: 24 }],
    ['Quel temps fera-t-il à Lyon cette semaine ?', 'Lyon', null],
    ['météo à Lyon les prochains jours', 'Lyon', null],
    ['météo à Lyon le week-end prochain', 'Lyon', on(6)],
    ['Quel temps fera-t-il à Lyon samedi soir ?', 'Lyon', on(6)],
    ['Va-t-il pleuvoir à Lyon demain après-midi ?', 'Lyon', in_(1)],
    ['¿Qué tiempo hará en Madrid esta semana?', 'Madrid', null],
    ['el tiempo en Madrid la próxima semana', 'Madrid', null],
    ['is it going to rain in 2 hours in Rome?', 'Rome', null],
    ['Regnet es in zwei Stunden in Köln?', 'Köln', null],
    ['¿lloverá en una hora en Madrid?', 'Madrid', null],
    ['Should I take my umbrella in Paris tomorrow?', 'Paris', in_(1)],
    ['umbrella in Porto tomorrow?', 'Porto', in_(1)],
    ['¿hace falta paraguas hoy en Bilbao?', 'Bilbao', in_(0)],
    ['Faut-il un parapluie à Brest demain ?', 'Brest', in_(1)],
    ['Fait-il beau à Nice ?', 'Nice', null],
    ['what will the weather be in Paris, Texas around noon', 'Paris, Texas', null],
    ['is it going to be cold in Oslo two hours from now?', 'Oslo', null],
    ['el tiempo en Madrid los próximos días', 'Madrid', null],
    ['el tiempo en Madrid el próximo lunes', 'Madrid', on(1)],
    ['¿Lloverá en Madrid el próximo fin de semana?', 'Madrid', on(6)],
    ['wie wird das Wetter heute morgen in Köln', 'Köln', in_(0)],
    ['Guten Morgen, wie wird das Wetter heute in Köln?', 'Köln', in_(0)],
    ['Guten Morgen, wie wird das Wetter in Köln?', 'Köln', null],
    ['Regnet es am Morgen in Köln?', 'Köln', null],
    ['Wie wird das Wetter morgen am Morgen in Köln?', 'Köln', in_(1)],
    ['¿Qué tiempo hace esta mañana en Madrid?', 'Madrid', in_(0)],
    ['¿lloverá hoy por la mañana en Madrid?', 'Madrid', in_(0)],
    ['¿lloverá por la mañana en Madrid?', 'Madrid', null],
    ['¿lloverá mañana por la mañana en Madrid?', 'Madrid', in_(1)],
    ['Buenos días, ¿qué tiempo hará mañana en Madrid?', 'Madrid', in_(1)],
    ['Bonjour, quel temps fera-t-il demain matin à Lyon ?', 'Lyon', in_(1)],
  ])('%s', (sentence, place, day) => {
    expect(weatherConfidence(sentence)).toBeGreaterThanOrEqual(0.8)
    expect(readWeatherQuestion(sentence)).toEqual({ place, day })
  })

  test.each(['Lyon', 'Lyon tomorrow', 'Paris, France'])(
    'can be just a place when put to the agent itself: %s',
    (sentence) => {
      expect(readWeatherQuestion(sentence).place).toBe(sentence.replace(' tomorrow', ''))
    },
  )
})

test.each([
  'Hello there',
  'What is 15% of 80?',
  'Show me photos of rain in Lyon',
  'Which films mention snow?',
  'Remind me to take an umbrella tomorrow',
  'news about the storm in Texas',
  'I feel cold',
  'How much time do I have?',
  'No tengo tiempo',
  "Je n'ai pas le temps",
  'Was kostet das?',
  'Write a poem about the wind',
  'What was the weather in my holiday pictures?',
  'What temperature should a baked chicken be?',
  'how warm is it in the living room?',
  'are any things in the office hot?',
  '¿qué temperatura hace en la cocina?',
  'Wie hoch ist die Temperatur des Wohnzimmers?',
  "annonce qu'il pleut",
  'find the receipt for the umbrella',
  'did I pack an umbrella',
  'Wo ist mein Regenschirm?',
  '¿dónde está mi paraguas?',
  'où est mon parapluie ?',
  'qué tiempo hay para pagar la multa',
  'qué tiempo hay que hornear el pan',
  'quel est le prix du beau vase à Nice ?',
  'hashtag...loving this weather..post to twitter.',
  'sales forecast for Q3',
  'What is the sales forecast for Q3 and Q4 of next year?',
  'forecast for Q3',
  'prévisions de trésorerie 2026',
  '¿Cuál es el pronóstico de ventas?',
  'el clima laboral en mi empresa',
  'How much is my umbrella insurance for 2026?',
])('isn’t a question about the weather: %s', (sentence) => {
  expect(weatherConfidence(sentence)).toBeLessThan(0.8)
})

test.each([
  'should I pack an umbrella?',
  'Muss ich einen Regenschirm dabeihaben?',
  '¿saco el paraguas hoy?',
  'un parapluie demain ?',
  'is it going to rain in 2 hours?',
  '¿qué tiempo hay para salir a correr?',
])('is a question about the weather without a place: %s', (sentence) => {
  expect(weatherConfidence(sentence)).toBeGreaterThanOrEqual(0.8)
})

test('reads an adversarial sentence without hanging', () => {
  expect(readWeatherQuestion(`weather ${'in '.repeat(5000)}${' '.repeat(5000)}`).day).toBeNull()
  expect(weatherConfidence('in weather '.repeat(2000))).toBe(0)
})
