import { say } from '@mira/shared'
import type { Step, Steps } from './processing.ts'

const UNSANDBOXED = say(
  'read_unsandboxed',
  {},
  'This file was read without a sandbox: if it was made to do harm, it could have reached other files on this server. ' +
    'Your administrator can change that.',
)

/** Adds to the first step of each item, for its owner, that it was read without a sandbox. */
export function withSandboxNote(steps: Steps, isSandboxed: () => boolean): Steps {
  const noted =
    (inspect: Step): Step =>
    async (context) => {
      const outcome = await inspect(context)
      return isSandboxed() ? outcome : { ...outcome, note: outcome.note ?? UNSANDBOXED }
    }
  const { image, video, audio, document } = steps
  return {
    image: { ...image, inspect: noted(image.inspect) },
    video: { ...video, inspect: noted(video.inspect) },
    audio: { ...audio, inspect: noted(audio.inspect) },
    document: { ...document, inspect: noted(document.inspect) },
  }
}
