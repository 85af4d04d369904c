import type { CodedSentence, MediaType, ProcessingStepName } from '@mira/shared'
import { type Sentence, say } from '../../../sentences.ts'
import type { ProcessedItem, ProcessingStepRow, StepChanges, Steps } from './step.ts'

/** Sorts before every id: the cursor of the first batch. */
export const BEFORE_ALL_IDS = '00000000-0000-0000-0000-000000000000'

/** Steps of each media type, in order. */
export const stepsOfType: Record<MediaType, readonly ProcessingStepName[]> = {
  image: ['inspect', 'read', 'caption', 'embed', 'look'],
  video: ['inspect', 'frames', 'transcribe', 'read', 'caption', 'embed', 'look', 'playback'],
  audio: ['inspect', 'transcribe', 'embed', 'playback'],
  document: ['inspect', 'read', 'pages', 'embed'],
}

/** Steps that must have ended before a step starts, because it uses their results. */
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

const UNWANTED_REASONS: Partial<Record<ProcessingStepName, Sentence>> = {
  caption: say('caption_unwanted', {}),
  read: say('text_unwanted', {}),
}

/** A step as stored with a new item. */
interface NewStep {
  name: ProcessingStepName
  position: number
  status: 'pending' | 'skipped'
  error: string | null
  error_told: CodedSentence[]
  finished_at: Date | null
}

/** Columns of media_steps and their types, for reading new steps from JSON. */
export const newStepColumns = 'name, position, status, error, error_told, finished_at'
export const newStepTypes =
  'name text, position int, status text, error text, error_told jsonb, finished_at timestamptz'

/** Steps of a new item; unwanted ones start as skipped. */
export function newSteps(item: { mediaType: MediaType; wantsCaption: boolean; wantsText: boolean }): NewStep[] {
  return stepsOfType[item.mediaType].map((name, position) => {
    const isUnwanted = (name === 'caption' && !item.wantsCaption) || (name === 'read' && !item.wantsText)
    if (!isUnwanted) return { name, position, status: 'pending', error: null, error_told: [], finished_at: null }
    const { text: error, sentences: error_told } = UNWANTED_REASONS[name] ?? { text: null, sentences: [] }
    return { name, position, status: 'skipped', error, error_told, finished_at: new Date() }
  })
}

/** Delays after the first, second, … attempt that failed for a temporary reason. */
const RETRY_AFTER_MS = [5_000, 30_000, 120_000]
/** Attempts before a step counts as failed. */
export const MAX_ATTEMPTS = RETRY_AFTER_MS.length + 1

/**
 * Priority of jobs for new items: each user's new items are inspected and shown before their other items are processed
 * further.
 */
export const NEW_ITEM_PRIORITY = 1

/** Next action for an item; `heldBack` when all due steps have to be done by another job. */
type NextStep = { step: ProcessingStepRow } | { heldBack: true } | { waitUntil: Date } | { allEnded: true }

const isOpen = ({ status }: ProcessingStepRow) => status === 'pending' || status === 'processing'

/** First step that's due, not held back, and whose needs have ended; otherwise the time when a step becomes due. */
function nextStep(
  steps: ProcessingStepRow[],
  now: Date,
  isHeldBack: (name: ProcessingStepName) => boolean = () => false,
): NextStep {
  const openSteps = new Map(steps.filter(isOpen).map((step) => [step.name, step]))
  if (openSteps.size === 0) return { allEnded: true }
  // Never empty, since needs are acyclic.
  const ready = [...openSteps.values()].filter(({ name }) => !stepNeeds[name].some((need) => openSteps.has(need)))
  const due = ready.filter((step) => dueAt(step) <= now.getTime())
  const step = due.find(({ name }) => !isHeldBack(name))
  if (step) return { step }
  return due.length > 0 ? { heldBack: true } : { waitUntil: new Date(Math.min(...ready.map(dueAt))) }
}

function dueAt({ attempts, finishedAt, error }: ProcessingStepRow): number {
  const delay = RETRY_AFTER_MS[Math.min(attempts, RETRY_AFTER_MS.length) - 1]
  // A resumed step is due immediately.
  return delay === undefined || finishedAt === null || error === null ? 0 : finishedAt.getTime() + delay
}

/** The named steps of a type (all by default), and the steps that use their results. */
export function stepsToRepeat(type: MediaType, names: readonly ProcessingStepName[] | undefined): ProcessingStepName[] {
  const repeated = new Set<ProcessingStepName>(names ?? stepsOfType[type])
  const steps = stepsOfType[type].filter((name) => {
    if (stepNeeds[name].some((need) => repeated.has(need))) repeated.add(name)
    return repeated.has(name)
  })
  return steps
}

export type Finish = NonNullable<StepChanges['finish']>

/** Next actions after a step. */
interface Plan extends Pick<StepChanges, 'settled' | 'next'> {
  finish?: Finish
  /** Time to resume, when nothing can be done now. */
  resumeAt?: Date
  /** Set when only long steps are left, which get a separate job, so that they don't delay short ones. */
  isLong?: true
}

const UNREAD = say('item_unread', {})
const SKIPPED = { status: 'skipped', engine: null, model: null } as const

/** Skips steps that can't be run, and picks the next one; a job for long steps may pick any that's due. */
export function planNext(handlers: Steps, item: ProcessedItem, steps: ProcessingStepRow[], isLongJob: boolean): Plan {
  const openSteps = steps.filter(isOpen)
  const inspect = steps.find(({ name }) => name === 'inspect')
  if (inspect?.status === 'failed') {
    const settled = openSteps.map(({ name }) => ({
      name,
      ...SKIPPED,
      error: UNREAD.text,
      errorSentences: UNREAD.sentences,
    }))
    const { error, errorSentences } = inspect
    const { text, sentences: reason } = error === null ? UNREAD : { text: error, sentences: errorSentences }
    return { settled, finish: { status: 'failed', error: text, errorSentences: reason } }
  }
  const settled = openSteps.flatMap(({ name }) => {
    const reason = handlers[item.mediaType][name]?.skipReason?.(item) ?? null
    return reason === null
      ? []
      : [
          {
            name,
            ...SKIPPED,
            error: reason.skipped.text,
            errorSentences: reason.skipped.sentences,
            missingCapability: reason.missingCapability,
          },
        ]
  })
  const remainingSteps = openSteps.filter(({ name }) => !settled.some((step) => step.name === name))
  const next = nextStep(remainingSteps, new Date(), (name) => !isLongJob && isLongStep(item, name))
  if ('step' in next) return { settled, next: next.step.name }
  if ('waitUntil' in next) return { settled, resumeAt: next.waitUntil }
  if ('allEnded' in next) return { settled, finish: { status: 'completed', error: null, errorSentences: [] } }
  return { settled, resumeAt: new Date(), isLong: true }
}

type SizedItem = Pick<ProcessedItem, 'mediaType' | 'sizeBytes' | 'durationSeconds' | 'pageCount'>

/** Up to these limits, the steps of an item take a minute or two. */
const SHORT_SECONDS = 120
const SHORT_BYTES = 50_000_000
const SHORT_PAGES = 30

/** Items beyond these limits have more texts and pictures than are embedded in one turn. */
const MANY_SECONDS = 3_600
const MANY_PAGES = 300
/** Maximum numbers of texts and pictures embedded per turn, for which a local model takes up to a minute. */
export const TEXTS_IN_TURN = 1_000
export const PICTURES_IN_TURN = 200

/** Steps that take longer for longer items. */
const lengthDependentSteps = new Set<ProcessingStepName>(['frames', 'transcribe', 'read', 'caption'])

/**
 * True when a step may take so long that other items shouldn't wait for it. Playback copies always count, since
 * nothing else of the item waits for them, and a file's stated length may be wrong.
 */
export function isLongStep(item: SizedItem, name: ProcessingStepName): boolean {
  const { mediaType, sizeBytes, durationSeconds, pageCount } = item
  if (name === 'embed' || name === 'look') return (durationSeconds ?? 0) > MANY_SECONDS || (pageCount ?? 0) > MANY_PAGES
  if (mediaType === 'document') return (name === 'read' || name === 'pages') && (pageCount ?? 0) > SHORT_PAGES
  if (mediaType === 'image') return false
  if (name === 'playback') return true
  return (
    lengthDependentSteps.has(name) &&
    (durationSeconds === null || durationSeconds > SHORT_SECONDS || sizeBytes > SHORT_BYTES)
  )
}

/** Texts up to this size are read in a few hundredths of a second. */
const QUICK_TEXT_BYTES = 1_000_000

type TypedItem = SizedItem & Pick<ProcessedItem, 'contentType'>

const isSmallText = ({ mediaType, contentType, sizeBytes }: TypedItem) =>
  mediaType === 'document' && contentType === 'text/plain' && sizeBytes <= QUICK_TEXT_BYTES

/** True when running the step is quicker than yielding to others and resuming the item. */
export function isQuickStep(item: TypedItem, name: ProcessingStepName): boolean {
  return name === 'embed' || (name === 'read' && isSmallText(item))
}

/** Texts up to this size are read in less time than a statement takes, and stored by a single statement. */
const TINY_TEXT_BYTES = 16_000

/** True when a step is run right after the previous one and stored together with it; only for a first attempt. */
export function isStoredWithPrevious(item: TypedItem, { name, attempts }: ProcessingStepRow): boolean {
  return name === 'read' && attempts === 0 && isSmallText(item) && item.sizeBytes <= TINY_TEXT_BYTES
}

/**
 * True when a step needs no permit: pictures and the videos in them wait for separate processes instead,
 * and small texts only wait for the engine that embeds them.
 */
export function runsWithoutPermit(item: TypedItem, name: ProcessingStepName): boolean {
  if (name === 'inspect') return item.mediaType === 'image' || isSmallText(item)
  return (name === 'read' || name === 'embed') && isSmallText(item)
}

/** Length of the chunk of a long video or recording that's transcribed in one turn. */
export const TRANSCRIPTION_TURN_SECONDS = 900

/** Disk space kept free for the database and uploads. */
export const KEPT_FREE_BYTES = 500_000_000
/** Steps that write much are aborted when less space is free, since files may state a wrong length. */
export const MIN_FREE_BYTES = 250_000_000
const SOUND_BYTES_PER_SECOND = 32_000
/** Maximum bytes of decoded sound per byte of a file without a stated length. */
const SOUND_PER_BYTE = 16
const MAX_SOUND_BYTES = 1_400_000_000
export const VIDEO_BYTES_PER_SECOND = 400_000
const MAX_COPY_BYTES = 2_000_000_000

/** Disk space needed before a step that writes much, including the space to keep free; null for other steps. */
export function spaceForStep(item: SizedItem, name: ProcessingStepName): number | null {
  const { mediaType, sizeBytes, durationSeconds } = item
  if (mediaType !== 'video' && mediaType !== 'audio') return null
  if (name === 'transcribe' || (name === 'inspect' && mediaType === 'audio')) {
    const isInChunks = name === 'transcribe' && (durationSeconds ?? 0) > TRANSCRIPTION_TURN_SECONDS
    const seconds = isInChunks ? TRANSCRIPTION_TURN_SECONDS : durationSeconds
    const soundBytes = seconds === null ? sizeBytes * SOUND_PER_BYTE : seconds * SOUND_BYTES_PER_SECOND
    return KEPT_FREE_BYTES + Math.min(MAX_SOUND_BYTES, soundBytes)
  }
  if (name !== 'playback') return null
  const perSecond = mediaType === 'video' ? VIDEO_BYTES_PER_SECOND : SOUND_BYTES_PER_SECOND
  const copyBytes = durationSeconds === null ? sizeBytes : durationSeconds * perSecond
  // The copy and its stored duplicate.
  return KEPT_FREE_BYTES + 2 * Math.min(MAX_COPY_BYTES, copyBytes)
}
