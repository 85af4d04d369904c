import { type CodedSentence, type MediaType, type ProcessingStepName, type Sentence, say } from '@mira/shared'

/** Steps of each media type, in order. */
export const stepsOfType: Record<MediaType, readonly ProcessingStepName[]> = {
  image: ['inspect', 'read', 'caption', 'embed', 'look'],
  video: ['inspect', 'frames', 'transcribe', 'read', 'caption', 'embed', 'look', 'playback'],
  audio: ['inspect', 'transcribe', 'embed', 'playback'],
  document: ['inspect', 'read', 'pages', 'embed'],
}

/** Steps that must have ended before a step begins, because it uses their results. */
export const stepNeeds: Record<ProcessingStepName, readonly ProcessingStepName[]> = {
  inspect: [],
  frames: ['inspect'],
  pages: ['inspect'],
  read: ['inspect', 'frames'],
  caption: ['inspect', 'frames'],
  transcribe: ['inspect'],
  playback: ['inspect'],
  embed: ['inspect', 'frames', 'read', 'caption', 'transcribe'],
  look: ['inspect', 'frames', 'pages'],
}

const NOT_WANTED: Partial<Record<ProcessingStepName, Sentence>> = {
  caption: say('caption_unwanted', {}, 'A caption was not wanted.'),
  read: say('text_unwanted', {}, 'Its text was not wanted.'),
}

/** A step as it is stored with a new item. */
interface NewStep {
  name: ProcessingStepName
  position: number
  status: 'pending' | 'skipped'
  error: string | null
  error_told: CodedSentence[]
  finished_at: Date | null
}

/** Columns of media_steps and their types, as statements read new steps from JSON. */
export const newStepColumns = 'name, position, status, error, error_told, finished_at'
export const newStepTypes =
  'name text, position int, status text, error text, error_told jsonb, finished_at timestamptz'

/** Steps of a new item; unwanted ones start as skipped. */
export function newSteps(item: { mediaType: MediaType; wantsCaption: boolean; wantsText: boolean }): NewStep[] {
  return stepsOfType[item.mediaType].map((name, position) => {
    const isUnwanted = (name === 'caption' && !item.wantsCaption) || (name === 'read' && !item.wantsText)
    if (!isUnwanted) return { name, position, status: 'pending', error: null, error_told: [], finished_at: null }
    const { text: error, told: error_told } = NOT_WANTED[name] ?? { text: null, told: [] }
    return { name, position, status: 'skipped', error, error_told, finished_at: new Date() }
  })
}
