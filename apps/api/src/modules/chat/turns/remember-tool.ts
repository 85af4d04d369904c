import { factTextSchema, REMEMBER } from '@mira/shared'
import { z } from 'zod'
import type { Tool } from '../../../engines/chat-engine.ts'
import { BadRequestError } from '../../../errors.ts'
import { rememberWish } from './remember-words.ts'

/** Tool with which a model proposes a fact; nothing is stored until the user agrees. */
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
  // the built-in engine hands on what was said
  z.object({ input: z.string() }).transform(({ input }) => ({ text: rememberWish(input) ?? input.trim() })),
])

/** The fact that a call proposes. @throws BadRequestError with a sentence that a model can act on. */
export function proposedFact(given: unknown): string {
  const read = argumentsSchema.pipe(z.object({ text: factTextSchema })).safeParse(given)
  if (read.success) return read.data.text
  throw new BadRequestError('This cannot be remembered. Send {"text": "one short sentence about the person"}.')
}

/** The same of the arguments as a model wrote them. */
export function readProposedFact(argumentsText: string): string {
  try {
    return proposedFact(JSON.parse(argumentsText))
  } catch (error) {
    if (error instanceof BadRequestError) throw error
    throw new BadRequestError('The arguments are not valid JSON. Send {"text": "one short sentence about the person"}.')
  }
}
