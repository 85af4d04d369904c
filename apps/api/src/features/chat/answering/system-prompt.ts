import type { Language } from '@mira/shared'
import { aboutText } from './about-person.ts'
import type { AnswerRequest } from './answer-request.ts'
import { dayIn } from './day-in-zone.ts'
import type { Gathered } from './gather-context.ts'

const languageNames: Record<Language, string> = { en: 'English', es: 'Spanish', fr: 'French', de: 'German' }

/** Text before the conversation: the assistant's identity, the user, and the project's and persona's instructions. */
export async function systemPrompt(
  { timeZone, language, instructions, engine }: AnswerRequest,
  { about }: Pick<Gathered, 'about'>,
  assistantName: string,
): Promise<string> {
  const own = [
    `You are ${assistantName}, a personal assistant.`,
    `Today is ${dayIn(timeZone)} (time zone ${timeZone}).`,
    `Answer in the language of the person's last message; when it is unclear, in ${languageNames[language]}.`,
    'Be accurate and to the point. Say so when you do not know something.',
  ].join(' ')
  const ofPerson = aboutText(about, await engine.contextTokens())
  return [own, ofPerson, instructions].filter(Boolean).join('\n\n')
}
