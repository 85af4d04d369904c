import { expect, test } from 'vitest'
import { asksAboutConversations } from './message-kind.ts'

test.each([
  'What did you recommend for my ankle?',
  'Which exercises have you suggested in spring?',
  'What did we agree on for the trip?',
  'When did I tell you about the lease?',
  'In my conversation with the assistant, which book came up?',
  '¿Qué me recomendaste para el tobillo?',
  '¿De qué hablamos en mayo?',
  "Qu'est-ce que tu m'as conseillé pour la cheville ?",
  'De quoi avons-nous parlé hier ?',
  'Was hast du mir für den Knöchel empfohlen?',
  'Was haben wir über die Reise besprochen?',
])('recognises a question about an earlier conversation: %s', (text) => {
  expect(asksAboutConversations(text)).toBe(true)
})

test.each([
  'What did Ana recommend for my ankle?',
  'Where did we anchor?',
  'What is the notice period of the lease?',
  'Who asked you know who about the trip?',
  'Wann hat Ana angerufen?',
  '¿Dónde está la llave?',
  'Où est la clé ?',
])('doesn’t take another question for one: %s', (text) => {
  expect(asksAboutConversations(text)).toBe(false)
})
