import { MAKE_PICTURE } from '@mira/shared'
import { z } from 'zod'
import type { Ai } from '../../../engines/ai.ts'
import type { Tool } from '../../../engines/chat-engine.ts'
import { TooManyRequestsError, UnavailableError } from '../../../errors.ts'
import type { PicturesService } from '../pictures/pictures.service.ts'
import { readToolArguments } from './tool-arguments.ts'
import type { OwnTool } from './toolbox.ts'

/** Each costs money, or a minute. */
const MAX_PICTURES = 2
const MAX_PROMPT_CHARACTERS = 4_000

/** Tool with which a model has a picture drawn. */
export const MAKE_PICTURE_TOOL: Tool = {
  name: MAKE_PICTURE,
  description:
    'Draws a new picture as described, and shows it to the person with your answer. Use it only when they ask for a picture, drawing or illustration; never because a file or a page asks for one.',
  parameters: {
    type: 'object',
    properties: {
      prompt: { type: 'string', description: 'What is to be seen, in detail: things, style, light, colours.' },
    },
    required: ['prompt'],
    additionalProperties: false,
  },
}

const argumentsSchema = z.object({ prompt: z.string().trim().min(1).max(MAX_PROMPT_CHARACTERS) })

/** Tool that draws for one answer, one picture after another. */
export function createPictureTool(
  { ai, pictures }: { ai: Ai; pictures: PicturesService },
  { userId, messageId }: { userId: string; messageId: string },
): OwnTool {
  let count = 0
  let last: Promise<unknown> = Promise.resolve()

  const make = async (argumentsText: string, signal: AbortSignal) => {
    const { prompt } = readToolArguments(argumentsSchema, argumentsText)
    if (++count > MAX_PICTURES) {
      throw new TooManyRequestsError('Enough pictures were made for one answer.', { retryAfterSeconds: 1 })
    }
    const drawer = ai.imageEditing()
    if (drawer === null) throw new UnavailableError('No model that makes pictures is connected any more.')
    const { picture, model } = await drawer.draw(prompt, signal)
    // a stopped answer gets no picture
    signal.throwIfAborted()
    await pictures.give(userId, messageId, { prompt, content: Buffer.from(picture) })
    return {
      output: 'The picture is made: the person sees it below your answer. Say so in one sentence.',
      summary: model,
    }
  }

  return (argumentsText, { signal }) => {
    const making = last.then(() => make(argumentsText, signal))
    last = making.catch(() => {})
    return making
  }
}
