/** Characters of each message that are enough to name the topic. */
const SOURCE_CHARACTERS = 1500

/** Prompt for naming a conversation after its first question and answer. */
export function titlePrompt(question: string, answer: string): { system: string; user: string } {
  return {
    system:
      'Write a title of at most six words for the conversation below, in its language. Answer with the title alone: no quotes, no full stop.',
    user: `Person: ${question.slice(0, SOURCE_CHARACTERS)}\n\nAssistant: ${answer.slice(0, SOURCE_CHARACTERS)}`,
  }
}
