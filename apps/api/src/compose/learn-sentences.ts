import { guessIntent, NO_AGENT, trainIntents } from '../features/agents/intent-classifier.ts'
import type { LearnSentences } from '../features/chat/answering/message-kind.ts'

/** More teaches these few sentences no better. */
const EPOCHS = 3

/** Trains the classifier of messages in a conversation with the trainer of the intent classifier. */
export const learnSentences: LearnSentences = (examples, other) => {
  const asLabel = (label: string, from: string, to: string) => (label === from ? to : label)
  const model = trainIntents(
    examples.map(({ text, label }) => ({ text, label: asLabel(label, other, NO_AGENT) })),
    EPOCHS,
  )
  return (text) =>
    guessIntent(model, text).map(({ label, probability }) => ({ label: asLabel(label, NO_AGENT, other), probability }))
}
