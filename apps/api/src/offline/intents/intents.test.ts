import { beforeAll, describe, expect, test } from 'vitest'
import {
  guessIntent,
  type IntentModel,
  intentAccuracy,
  NO_AGENT,
  packIntents,
  trainIntents,
  unpackIntents,
} from './intent-classifier.ts'
import { readIntentExamples } from './intent-examples.ts'

const examples = readIntentExamples()
/** Probability from which the agents are sure. */
const SURE = 0.8
let model: IntentModel

beforeAll(() => {
  model = trainIntents(examples.training)
})

const agentOf = (text: string) => {
  const best = guessIntent(model, text)[0]
  return best && best.label !== NO_AGENT && best.probability >= SURE ? best.label : null
}

describe('the intent classifier', () => {
  test('is right about most unseen sentences, and nearly always when it’s sure', () => {
    const { training, heldOut } = examples
    const accuracy = intentAccuracy(model, heldOut)
    const sure = heldOut.filter(({ text }) => agentOf(text) !== null)
    const precision = sure.filter(({ text, label }) => agentOf(text) === label).length / sure.length
    process.stdout.write(
      `Intent classifier: accuracy ${(accuracy * 100).toFixed(1)} % of ${heldOut.length} held-out sentences ` +
        `(trained on ${training.length}); sure of ${sure.length}, of which ${(precision * 100).toFixed(1)} % are right\n`,
    )
    expect(accuracy).toBeGreaterThan(0.8)
    expect(precision).toBeGreaterThan(0.95)
    const trainingTexts = new Set(training.map(({ text }) => text))
    expect(heldOut.filter(({ text }) => trainingTexts.has(text))).toEqual([])
  })

  test.each([
    ['What is the weather like in Reykjavik?', 'WeatherAgent'],
    ['¿Va a llover mañana en Bogotá?', 'WeatherAgent'],
    ['Quel temps fera-t-il demain à Bruxelles ?', 'WeatherAgent'],
    ['Wie wird das Wetter morgen in Stuttgart?', 'WeatherAgent'],
    ['latest news about robots', 'NewsAgent'],
    ['Nachrichten über Raumfahrt', 'NewsAgent'],
    ['Remind me tomorrow at 5 to feed the cat', 'ReminderAgent'],
    ['Recuérdame mañana a las 5 comprar pan', 'ReminderAgent'],
    ['How many photos have I uploaded?', 'FileAgent'],
    ['Combien d’espace prennent mes photos ?', 'FileAgent'],
  ])('recognises the agent for “%s”', (text, agent) => {
    expect(agentOf(text)).toBe(agent)
  })

  test.each([
    ...['What did I write about the weather in my diary?', 'Summarise the news article I pasted', 'Hello!', 'Why?'],
    ...['Can you explain what a forecast model is?', 'My grandmother loved rain', 'The film mentions a lighthouse'],
    ...['How do I remind myself to be kind?', 'Why do files have extensions?', 'Who won the game yesterday?'],
    ...['Write a story about a storm in Paris', 'Translate "it is raining" into French', 'Which flowers grow in snow?'],
    ...['What does the contract say about notice?', 'What is in the picture with the dog?', 'Thanks a lot'],
    ...['Was bedeutet das Wort Wetterleuchten?', 'Wie schreibe ich eine Zahlungserinnerung?', 'Danke dir'],
    ...['¿Qué es una noticia falsa?', '¿Cuánto tiempo dura la película?', 'No tengo tiempo para esto'],
    ...['Que penses-tu de ce film ?', 'Explique le mot météorologie', 'Le temps passe vite', ''],
    ...[
      'How long is it?',
      'How big is it?',
      'Is it expensive?',
      'and tomorrow?',
      'show me the page',
      'Wie lang ist es?',
    ],
    ...['Combien de temps dure-t-il ?', '¿Cuánto dura?', 'What does it say about the price?', 'Where was it recorded?'],
  ])('leaves “%s” to the conversation', (text) => {
    expect(agentOf(text)).toBeNull()
  })

  test('trains deterministically, survives packing and rejects a broken package', () => {
    const some = examples.training.slice(0, 200)
    const [first, second] = [trainIntents(some), trainIntents(some)]
    expect(first).toEqual(second)
    expect(unpackIntents(JSON.parse(JSON.stringify(packIntents(first))))).toEqual(first)
    expect(unpackIntents({ labels: ['a', 'b'], telling: [], weights: 'AAAA' })).toBeNull()
  })
})
