import { fileFormats } from '@mira/shared'
import { AppError, EngineError, isLasting, StorageFullError, sentenceOf, ValidationError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import { formatOfFile } from '../../../parsers/sniff/sniff.ts'
import { isOutage } from '../../../platform/database/availability.ts'
import { unlessAborted } from '../../../platform/lib/abort.ts'
import { runAsUser } from '../../../platform/lib/current-user.ts'
import { createSemaphore } from '../../../platform/lib/semaphore.ts'
import { FILES_UNAVAILABLE, type Files } from '../../../platform/storage/files.ts'
import type { UseScratch } from '../../../platform/storage/scratch.ts'
import { say } from '../../../sentences.ts'
import { isFreeStep, isLongStep, MAX_ATTEMPTS, MIN_FREE_BYTES, spaceForStep } from './plan.ts'
import type { Results } from './results.ts'
import {
  type Finding,
  type NewMoment,
  OvertakenError,
  type ProcessedItem,
  type ProcessingStepRow,
  type Run,
  type Step,
  type StepContext,
  type StepEnd,
  type StepItem,
  type StepOutcome,
  type Steps,
} from './step.ts'
import type { ProcessingStore } from './store.ts'

/** Metadata that users remember files by. */
const descriptiveDetails = [
  'title',
  'artist',
  'album',
  'album_artist',
  'composer',
  'author',
  'genre',
  'show',
  'description',
  'keywords',
  'people',
]
const MAX_CHARACTERS = 1000

/** Searchable words of an item's metadata: file name, titles, camera. */
export function nameMoments(item: Pick<ProcessedItem, 'originalFilename' | 'details' | 'camera'>): [NewMoment] | [] {
  const details = item.details as Record<string, unknown>
  const texts = descriptiveDetails.map((name) => details[name]).filter((value) => typeof value === 'string')
  const body = [item.originalFilename, wordsOf(item.originalFilename), ...texts, item.camera ?? '']
    .map((text) => text.trim())
    .filter((text, place, all) => text !== '' && all.indexOf(text) === place)
    .join(' · ')
    .slice(0, MAX_CHARACTERS)
  return body === '' ? [] : [{ kind: 'name', body, language: null, engine: 'built-in', model: null, confidence: null }]
}

/** "IMG_2034-beachParty.final.jpg" → "IMG 2034 beach Party final" */
function wordsOf(filename: string): string {
  return filename
    .replace(/\.[^.]{1,5}$/, '')
    .replace(/(?:[\p{P}\p{S}\s]|\uFE0F|\u200D)+/gu, ' ')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .trim()
}

export interface StepRunsDeps {
  store: Pick<ProcessingStore, 'report' | 'giveBack' | 'countAttempt'>
  results: Pick<Results, 'describe' | 'replaceMoments' | 'letGo'>
  steps: Steps
  files: Pick<Files, 'useLocal' | 'freeBytes'>
  useScratch: UseScratch
  /** Number of steps that this server runs at once. */
  concurrency: number
  log: Log
}

/** Result of a run: the end of its step, the findings to store with it, and the updated item. */
export interface StepDone {
  end: StepEnd
  findings: Finding[]
  item: ProcessedItem
}

const ABSENT = say('step_absent', {})
const SLOW = say('step_slow', {})
const UNEXPECTED = say('step_unexpected', {})
/** Interval at which a run stores its progress and checks that its item still exists. */
const REPORT_EVERY_MS = 1000

/** A run that waits longer than this for the semaphore hasn't counted as an attempt if the process dies. */
const SHORT_WAIT_MS = 1000

/** The server stops; running steps resume later. */
export class StoppingError extends Error {
  override name = 'StoppingError'
}

/** Runs single steps that have been begun. */
export function createStepRuns(deps: StepRunsDeps) {
  const { store, results, steps, files, useScratch, log } = deps
  // the reserved permit is for users without a running step, who don't wait for others
  const semaphore = createSemaphore({ permits: deps.concurrency, reserve: 1 })

  /** Runs that aren't counted as attempts while they wait for a permit, with the pending write. */
  const uncounted = new Map<Run, Promise<boolean>>()

  const countAgain = async ({ id, run }: StepItem) => {
    const isStored = uncounted.get(run)
    uncounted.delete(run)
    if (await isStored) await store.countAttempt(id, run, 1)
  }

  /** Runs work with a permit; waiting for one doesn't count as an attempt if the process dies. */
  const withPermit = async <T>(item: StepItem, signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
    const { id, run, userId } = item
    const timer = setTimeout(() => {
      const storing = store.countAttempt(id, run, -1).then(
        () => true,
        (error: unknown) => {
          log.debug({ err: error }, 'that a step waits could not be stored')
          return false
        },
      )
      uncounted.set(run, storing)
    }, SHORT_WAIT_MS)
    const urgency = isLongStep(item, run.step) ? 'low' : 'normal'
    using _permit = await semaphore.acquire({ signal, urgency, userId }).finally(() => clearTimeout(timer))
    // counted before it starts, so that a step that always kills the process is given up
    await countAgain(item)
    return await work()
  }

  /** Protects the database from a full disk. */
  const requireSpace = async (bytes: number) => {
    if ((await files.freeBytes()) >= bytes) return
    throw new StorageFullError(say('disk_too_full', {}))
  }

  /** Runs a step's function with its context. */
  const call = async (
    item: StepItem,
    { signal, language, progress }: Pick<StepContext, 'signal' | 'language' | 'progress'>,
  ): Promise<StepOutcome> => {
    const step = steps[item.mediaType][item.run.step]
    if (step === undefined) return { engine: null, model: null, skipped: ABSENT }
    const perform = async () => {
      signal.throwIfAborted()
      return runAsUser(item.userId, performAsUser)
    }
    const performAsUser = async () => {
      const room = spaceForStep(item, item.run.step)
      if (room !== null) await requireSpace(room)
      return files.useLocal(item.path, (filename) =>
        useScratch(async (scratch) => {
          const format = item.mediaType === 'image' ? asItCame(item) : await formatOfFile(filename)
          signal.throwIfAborted()
          return step({ item, filename, format: format ?? 'txt', scratch, language, signal, progress })
        }),
      )
    }
    return isFreeStep(item, item.run.step) ? perform() : withPermit(item, signal, perform)
  }

  /** Stores a run's progress; aborts it when it's replaced, its item is gone, or the disk fills up. */
  const watchOver = (item: StepItem, step: ProcessingStepRow, overtaken: AbortController) =>
    setInterval(() => {
      store
        .report(item.id, item.run, step.progress)
        .then((isMine) => isMine || overtaken.abort(new OvertakenError('the item is gone, or another run does this')))
        // without the database, the end of the step fails too
        .catch((error: unknown) => log.debug({ err: error }, 'the progress of a step could not be stored'))
      if (spaceForStep(item, item.run.step) === null) return
      requireSpace(MIN_FREE_BYTES).catch((error: unknown) => {
        if (error instanceof StorageFullError) overtaken.abort(error)
        else log.debug({ err: error }, 'the room on the disk could not be found out')
      })
    }, REPORT_EVERY_MS)

  /** End of a step that threw. */
  const endOfFailure = (error: unknown, { name, attempts }: ProcessingStepRow, itemId: string): StepEnd => {
    const isForGood = isLasting(error) || (error instanceof AppError && error.status === 404)
    const isLast = isForGood || (attempts >= MAX_ATTEMPTS && !isAway(error))
    if (!(error instanceof AppError)) log.warn({ err: error, step: name, media_id: itemId }, 'a step met an error')
    const { text, told } = error instanceof AppError ? sentenceOf(error) : UNEXPECTED
    return { status: isLast ? 'failed' : 'pending', engine: null, model: null, error: text, told }
  }

  return {
    endOfFailure,

    /**
     * Runs a step; null when it has been replaced, the item is gone, or the server stops.
     * @param tell called after each change of `step.progress`.
     */
    async run(
      item: StepItem,
      step: ProcessingStepRow,
      { language, stop, report }: { language: string; stop: AbortSignal; report(): void },
    ): Promise<StepDone | null> {
      const overtaken = new AbortController()
      const signal = AbortSignal.any([stop, overtaken.signal])
      const reporter = watchOver(item, step, overtaken)
      const progress = (fraction: number) => {
        step.progress = Math.min(1, Math.max(step.progress, fraction))
        report()
      }
      try {
        const calling = () => call(item, { signal, language, progress })
        const outcome = await untilAborted(signal, calling, ({ findings = [] }) => results.letGo(findings))
        const { engine, model, facts, lacks, skipped, note, findings = [], isUnfinished } = outcome
        if (isUnfinished) {
          return { end: { status: 'pending', engine, model, error: null, told: [] }, findings, item }
        }
        const currentItem = { ...item, ...facts, details: { ...(item.details as object), ...facts?.details } }
        const sentence = skipped ?? note
        const status = skipped === undefined ? 'completed' : 'skipped'
        const end = { status, error: sentence?.text ?? null, told: sentence?.told ?? [] } as const
        const all = facts === undefined ? findings : [results.describe(item, facts), ...findings]
        // words of the name and the metadata are searchable
        if (step.name === 'inspect') all.push(await results.replaceMoments(item, 'name', nameMoments(currentItem)))
        return { end: { ...end, engine, model, lacks }, findings: all, item: currentItem }
      } catch (error) {
        // it may be aborted while it waits for a permit
        await countAgain(item)
        if (signal.reason instanceof StoppingError) await store.giveBack(item.id, item.run)
        const isOver = [signal.reason, error].some((one) => one instanceof OvertakenError)
        if (isOver || signal.reason instanceof StoppingError) return null
        // a retry stays one, and doesn't use up the file's attempts while an engine is away
        if (isAway(error) ? step.attempts >= MAX_ATTEMPTS : lacksEngine(error) && step.attempts > MAX_ATTEMPTS + 1) {
          await store.countAttempt(item.id, item.run, -1)
          step.attempts--
        }
        // the queue aborts jobs that take too long
        const ending = signal.reason instanceof StorageFullError ? signal.reason : new ValidationError(SLOW)
        return { end: endOfFailure(signal.aborted ? ending : error, step, item.id), findings: [], item }
      } finally {
        clearInterval(reporter)
      }
    },
  }
}

/** True while files or the database can't be reached: an item waits for as long as it takes. */
function isAway(error: unknown): boolean {
  return (error instanceof AppError && error.code === FILES_UNAVAILABLE) || isOutage(error)
}

/** Failures of an engine's server or its settings, whatever the file. */
const engineCodes = new Set([
  ...['model_unreachable', 'model_key_refused', 'model_not_found', 'model_rate_limited'],
  ...['capability_missing', 'vision_unavailable'],
])

const lacksEngine = (error: unknown): boolean => error instanceof EngineError && engineCodes.has(error.code)

/** Format of an item at upload; picture decoders detect it again. */
function asItCame({ contentType }: StepItem): string | null {
  const [format = null] = Object.entries(fileFormats).find(([, facts]) => facts.contentType === contentType) ?? []
  return format
}

/** Runs work until it ends or the signal is aborted, even if the work ignores the signal. */
async function untilAborted<T>(signal: AbortSignal, work: () => Promise<T>, late: (result: T) => unknown): Promise<T> {
  signal.throwIfAborted()
  const working = work().then(async (result) => {
    if (signal.aborted) await late(result)
    return result
  })
  return unlessAborted(working, signal)
}

const UNSANDBOXED = say('read_unsandboxed', {})

/** Adds a note for the owner to each item's first step that was read without a sandbox. */
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
