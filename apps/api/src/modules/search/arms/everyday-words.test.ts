import { expect, test } from 'vitest'
import { everydayShare } from './words.ts'

const BYTES = 250

test.each([
  ['en', ['what', 'did', 'we', 'can'], ['lighthouse', 'rent', 'doctor']],
  ['es', ['qué', 'cuándo', 'que', 'por'], ['alquiler', 'factura', 'médico']],
  ['fr', ['est', 'que', 'quand', 'il'], ['loyer', 'facture', 'médecin']],
  ['de', ['was', 'wie', 'ich', 'ist'], ['miete', 'rechnung', 'arzt']],
  ['ja', ['です', 'ます'], ['家賃', '医者']],
  ['zh', ['什么', '我们', '的'], ['房租', '医生']],
])('in %s, everyday words are common and topic words aren’t', (language, everydayWords, topicWords) => {
  for (const word of everydayWords) expect(everydayShare(word, language, BYTES), word).toBeGreaterThan(0.05)
  for (const word of topicWords) expect(everydayShare(word, language, BYTES), word).toBe(0)
})

test('a word is common only in its own language, and more so in long texts', () => {
  expect([everydayShare('was', 'de', BYTES) > 0.5, everydayShare('der', 'en', BYTES)]).toEqual([true, 0])
  expect(everydayShare('which', 'en', 1000)).toBeGreaterThan(everydayShare('which', 'en', 100))
  expect([everydayShare('what', null, BYTES), everydayShare('what', 'sv', BYTES)]).toEqual([0, 0])
  expect(everydayShare('です', 'en', BYTES)).toBeGreaterThan(0.05)
})
