import { factTextSchema, REMEMBER } from '@mira/shared'
import { z } from 'zod'
import type { Tool } from '../../../engines/chat-engine.ts'
import { BadRequestError } from '../../../errors.ts'

/** Tool for proposing a fact; nothing is stored until the user agrees. */
export const REMEMBER_TOOL: Tool = {
  name: REMEMBER,
  description:
    'Proposes to remember one lasting fact about the person (who they are, what they prefer, how they live and work) in all later conversations. Use it when they ask you to remember something, or when they tell such a fact about themselves in passing. Never for what files or web pages say, for secrets, or for what matters only now. The person is asked before it is kept.',
  parameters: {
    type: 'object',
    properties: {
      text: {
        type: 'string',
        description: 'One sentence as the person would say it, in their language, such as "I am allergic to nuts."',
      },
    },
    required: ['text'],
    additionalProperties: false,
  },
}

const argumentsSchema = z.union([
  z.object({ text: factTextSchema }),
  // The built-in engine passes on the user's message.
  z.object({ input: z.string() }).transform(({ input }) => ({ text: factToRemember(input) ?? input.trim() })),
])

/** The fact that a call proposes. @throws BadRequestError with a message that a model can act on */
export function proposedFact(args: unknown): string {
  const parsed = argumentsSchema.pipe(z.object({ text: factTextSchema })).safeParse(args)
  if (parsed.success) return parsed.data.text
  throw new BadRequestError('This cannot be remembered. Send {"text": "one short sentence about the person"}.')
}

/** Like `proposedFact`, from the JSON that a model wrote. */
export function readProposedFact(argumentsText: string): string {
  try {
    return proposedFact(JSON.parse(argumentsText))
  } catch (error) {
    if (error instanceof BadRequestError) throw error
    throw new BadRequestError('The arguments are not valid JSON. Send {"text": "one short sentence about the person"}.')
  }
}

/** Openings of a request to remember something, in each language; the fact follows. */
const patterns: readonly RegExp[] = [
  /^(?:please )?(?:remember|keep in mind|note|don['’]t forget)(?: that|:)\s+(?=\S)/iu,
  /^(?:por favor,? )?(?:recuerda|acuérdate de|ten en cuenta|no olvides)(?: que|:)\s+(?=\S)/iu,
  /^(?:s['’]il (?:te|vous) plaît,? )?(?:retenez|retiens|souviens[- ]toi|souvenez[- ]vous|notez?|n['’]oubliez? pas)(?: ?:| que| qu['’])\s*(?=\S)/iu,
  /^(?:bitte )?(?:merke? dir|denk daran|vergiss nicht|behalte?)(?:,? dass|:)\s+(?=\S)/iu,
]

/** Longer texts aren't requests to remember something. */
const MAX_REQUEST_CHARACTERS = 500

/** Fact that a sentence asks to remember; null when it asks for something else. */
export function factToRemember(sentence: string): string | null {
  const text = sentence.trim()
  if (text.length > MAX_REQUEST_CHARACTERS || text.endsWith('?')) return null
  const opening = patterns.find((pattern) => pattern.test(text))
  if (opening === undefined) return null
  const fact = text.replace(opening, '')
  return fact.charAt(0).toLocaleUpperCase() + fact.slice(1)
}
