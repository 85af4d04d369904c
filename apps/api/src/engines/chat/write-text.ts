import { asLanguage } from '@mira/shared'
import type { ChatEngine, Question } from '../chat-engine.ts'

export interface TextRequest {
  instructions: string
  text: string
  /** ISO 639-1 code. */
  language: string
}

/** Context for a model without tools or anybody's memory. */
export const withNothing = {
  timeZone: 'UTC',
  assistantName: 'Mira',
  recall: async () => [],
  memory: 'closed',
  passages: [],
  tools: [],
  toolFor: () => null,
  callTool: async () => ({ isError: true, text: 'There are no tools.' }),
} satisfies Partial<Question>

/** Lets a model write one text, without tools or anybody's memory; null when it did not come to an end. */
export async function writeText(
  engine: ChatEngine,
  { instructions, text, language }: TextRequest,
  signal: AbortSignal,
): Promise<{ text: string; engine: string; model: string } | null> {
  const events = engine.answer(
    {
      instructions,
      turns: [{ role: 'user', content: text }],
      language: asLanguage(language) ?? 'en',
      ...withNothing,
    },
    signal,
  )
  let output = ''
  for await (const event of events) {
    if (event.type === 'text') output += event.text
    if (event.type === 'end') return { text: output, engine: engine.name, model: event.model }
  }
  return null
}
