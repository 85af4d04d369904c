import { guessIntent, NO_AGENT, trainIntents } from '../features/agents/intent-classifier.ts'
import type { LearnSentences } from '../features/chat/answering/message-kind.ts'

/** More teaches these few sentences no better. */
const EPOCHS = 3

/** What learns which agent a sentence means learns as well what a message of a conversation is. */
export const learnSentences: LearnSentences = (examples, other) => {
  const asLabel = (label: string, from: string, to: string) => (label === from ? to : label)
  const model = trainIntents(
    examples.map(({ text, label }) => ({ text, label: asLabel(label, other, NO_AGENT) })),
    EPOCHS,
  )
  return (text) =>
    guessIntent(model, text).map(({ label, probability }) => ({ label: asLabel(label, NO_AGENT, other), probability }))
}
