import { fileFormats } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import { AppError, EngineError, isPermanent, StorageFullError, sentenceOf, ValidationError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import { formatOfFile } from '../../../parsers/sniff/sniff.ts'
import { isOutage } from '../../../platform/database/availability.ts'
import { unlessAborted } from '../../../platform/lib/abort.ts'
import { runAsUser } from '../../../platform/lib/current-user.ts'
import { createSemaphore } from '../../../platform/lib/semaphore.ts'
import { FILES_UNAVAILABLE, type Files } from '../../../platform/storage/files.ts'
import type { WithTempFolder } from '../../../platform/storage/scratch.ts'
import { asStorageError } from '../../../platform/storage/whole-file.ts'
import { say } from '../../../sentences.ts'
import { isLongStep, MAX_ATTEMPTS, MIN_FREE_BYTES, runsWithoutPermit, spaceForStep } from './plan.ts'
import type { Results } from './results.ts'
import {
  type Finding,
  type NewMoment,
  type ProcessedItem,
  type ProcessingStepRow,
  type Run,
  RunReplacedError,
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
  const words = [item.originalFilename, wordsOf(item.originalFilename), ...texts, item.camera ?? '']
    .map((text) => text.trim())
    .filter((text, index, unfiltered) => text !== '' && unfiltered.indexOf(text) === index)
    .join(' · ')
  const body = cutText(words, MAX_CHARACTERS)
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
  store: Pick<ProcessingStore, 'report' | 'undoStart' | 'countAttempt'>
  results: Pick<Results, 'updateFacts' | 'replaceMoments' | 'release'>
  steps: Steps
  files: Pick<Files, 'useLocal' | 'freeBytes'>
  withTempFolder: WithTempFolder
  /** Maximum number of steps that this server runs in parallel. */
  concurrency: number
  log: Log
}

/** Result of a run: the end of its step, the findings to store with it, and the updated item. */
export interface StepRunResult {
  end: StepEnd
  findings: Finding[]
  item: ProcessedItem
}

const ABSENT = say('step_absent', {})
const SLOW = say('step_slow', {})
const UNEXPECTED = say('step_unexpected', {})
/** Interval at which a run stores its progress and checks that its item still exists. */
const REPORT_EVERY_MS = 1000

/** A run that waits longer than this for a permit doesn't count as an attempt if the process dies. */
const SHORT_WAIT_MS = 1000

/** The server is stopping; running steps resume later. */
export class StoppingError extends Error {
  override name = 'StoppingError'
}

/** Runs single steps whose start is stored. */
export function createStepRuns(deps: StepRunsDeps) {
  const { store, results, steps, files, withTempFolder, log } = deps
  // The reserved permit is for users without a running step, so that they don't wait for others.
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
          log.debug({ err: error }, 'could not store that a step is waiting')
          return false
        },
      )
      uncounted.set(run, storing)
    }, SHORT_WAIT_MS)
    const urgency = isLongStep(item, run.step) ? 'low' : 'normal'
    using _permit = await semaphore.acquire({ signal, urgency, userId }).finally(() => clearTimeout(timer))
    // Counted before it starts, so that a step that always kills the process is given up at some point.
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
    const runAsOwner = async () => {
      signal.throwIfAborted()
      return runAsUser(item.userId, runWithFile)
    }
    const runWithFile = async () => {
      const neededBytes = spaceForStep(item, item.run.step)
      if (neededBytes !== null) await requireSpace(neededBytes)
      return files.useLocal(item.path, (filename) =>
        withTempFolder(async (scratch) => {
          const format = item.mediaType === 'image' ? formatAtUpload(item) : await formatOfFile(filename)
          signal.throwIfAborted()
          return step({ item, filename, format: format ?? 'txt', scratch, language, signal, progress })
        }),
      )
    }
    return runsWithoutPermit(item, item.run.step) ? runAsOwner() : withPermit(item, signal, runAsOwner)
  }

  /** Stores a run's progress regularly; aborts the run when it's replaced, its item is gone, or the disk fills up. */
  const watch = (item: StepItem, step: ProcessingStepRow, runAbort: AbortController) =>
    setInterval(() => {
      store
        .report(item.id, item.run, step.progress)
        .then(
          (isCurrent) =>
            isCurrent || runAbort.abort(new RunReplacedError('the item is gone, or another run has replaced this one')),
        )
        // Without the database, the end of the step fails, too.
        .catch((error: unknown) => log.debug({ err: error }, 'could not store the progress of a step'))
      if (spaceForStep(item, item.run.step) === null) return
      requireSpace(MIN_FREE_BYTES).catch((error: unknown) => {
        if (error instanceof StorageFullError) runAbort.abort(error)
        else log.debug({ err: error }, 'could not read the free disk space')
      })
    }, REPORT_EVERY_MS)

  /** Converts the error that a step threw to its end: a retry, or a failure. */
  const endOfFailure = (thrown: unknown, { name, attempts }: ProcessingStepRow, itemId: string): StepEnd => {
    const error = asStorageError(thrown)
    const isFinal = isPermanent(error) || (error instanceof AppError && error.status === 404)
    const isLast = isFinal || (attempts >= MAX_ATTEMPTS && !isUnavailable(error))
    if (!(error instanceof AppError))
      log.warn({ err: error, step: name, media_id: itemId }, 'a step failed unexpectedly')
    const { text, sentences } = error instanceof AppError ? sentenceOf(error) : UNEXPECTED
    return { status: isLast ? 'failed' : 'pending', engine: null, model: null, error: text, errorSentences: sentences }
  }

  return {
    endOfFailure,

    /**
     * Runs a step; null when the run has been replaced, the item is gone, or the server is stopping.
     * @param options.report called after each change of `step.progress`.
     */
    async run(
      item: StepItem,
      step: ProcessingStepRow,
      { language, stop, report }: { language: string; stop: AbortSignal; report(): void },
    ): Promise<StepRunResult | null> {
      const runAbort = new AbortController()
      const signal = AbortSignal.any([stop, runAbort.signal])
      const reporter = watch(item, step, runAbort)
      const progress = (fraction: number) => {
        step.progress = Math.min(1, Math.max(step.progress, fraction))
        report()
      }
      try {
        const calling = () => call(item, { signal, language, progress })
        const outcome = await untilAborted(signal, calling, ({ findings = [] }) => results.release(findings))
        const { engine, model, facts, missingCapability, skipped, note, findings = [], isUnfinished } = outcome
        if (isUnfinished) {
          return { end: { status: 'pending', engine, model, error: null, errorSentences: [] }, findings, item }
        }
        const currentItem = { ...item, ...facts, details: { ...(item.details as object), ...facts?.details } }
        const sentence = skipped ?? note
        const status = skipped === undefined ? 'completed' : 'skipped'
        const end = { status, error: sentence?.text ?? null, errorSentences: sentence?.sentences ?? [] } as const
        const allFindings = facts === undefined ? findings : [results.updateFacts(item, facts), ...findings]
        // Words of the name and the metadata are searchable.
        if (step.name === 'inspect')
          allFindings.push(await results.replaceMoments(item, 'name', nameMoments(currentItem)))
        return { end: { ...end, engine, model, missingCapability }, findings: allFindings, item: currentItem }
      } catch (error) {
        // The run may be aborted while it waits for a permit.
        await countAgain(item)
        if (signal.reason instanceof StoppingError) await store.undoStart(item.id, item.run)
        const isReplaced = [signal.reason, error].some((reason) => reason instanceof RunReplacedError)
        if (isReplaced || signal.reason instanceof StoppingError) return null
        // While something is unavailable, the attempts stop growing, since the file isn't to blame. A retry still counts as
        // one, since it has more than `MAX_ATTEMPTS`.
        if (
          isUnavailable(error)
            ? step.attempts >= MAX_ATTEMPTS
            : isEngineFailure(error) && step.attempts > MAX_ATTEMPTS + 1
        ) {
          await store.countAttempt(item.id, item.run, -1)
          step.attempts--
        }
        // The queue aborts jobs that take too long.
        const ending = signal.reason instanceof StorageFullError ? signal.reason : new ValidationError(SLOW)
        return { end: endOfFailure(signal.aborted ? ending : error, step, item.id), findings: [], item }
      } finally {
        clearInterval(reporter)
      }
    },
  }
}

/** True while files or the database are unavailable, for which items wait as long as it takes. */
function isUnavailable(error: unknown): boolean {
  return (error instanceof AppError && error.code === FILES_UNAVAILABLE) || isOutage(error)
}

/** Failures of an engine's server or its settings, independent of the file. */
const engineCodes = new Set([
  ...['model_unreachable', 'model_key_refused', 'model_not_found', 'model_rate_limited'],
  ...['capability_missing', 'vision_unavailable'],
])

const isEngineFailure = (error: unknown): boolean => error instanceof EngineError && engineCodes.has(error.code)

/** Format of an item at upload; picture decoders detect it again. */
function formatAtUpload({ contentType }: StepItem): string | null {
  const [format = null] = Object.entries(fileFormats).find(([, facts]) => facts.contentType === contentType) ?? []
  return format
}

/** Runs work until it ends or the signal is aborted, even if it ignores the signal; a late result goes to `onLateResult`. */
async function untilAborted<T>(
  signal: AbortSignal,
  work: () => Promise<T>,
  onLateResult: (result: T) => unknown,
): Promise<T> {
  signal.throwIfAborted()
  const working = work().then(async (result) => {
    if (signal.aborted) await onLateResult(result)
    return result
  })
  return unlessAborted(working, signal)
}

const UNSANDBOXED = say('read_unsandboxed', {})

/** Adds a note for the user to each item that was inspected without a sandbox. */
export function withSandboxNote(steps: Steps, isSandboxed: () => boolean): Steps {
  const withNote =
    (inspect: Step): Step =>
    async (context) => {
      const outcome = await inspect(context)
      return isSandboxed() ? outcome : { ...outcome, note: outcome.note ?? UNSANDBOXED }
    }
  const { image, video, audio, document } = steps
  return {
    image: { ...image, inspect: withNote(image.inspect) },
    video: { ...video, inspect: withNote(video.inspect) },
    audio: { ...audio, inspect: withNote(audio.inspect) },
    document: { ...document, inspect: withNote(document.inspect) },
  }
}
