import { z } from 'zod'
import type { Log } from '../../../log.ts'
import {
  guessIntent,
  type IntentExample,
  type IntentGuess,
  type IntentModel,
  packedClassifierSchema,
  unpackIntents,
} from '../../../offline/intents/intent-classifier.ts'
import { type IntentExamples, isHeldOut } from '../../../offline/intents/intent-examples.ts'
import type { TrainIntents } from '../../../offline/intents/intent-trainer.ts'
import type { ClassifiersStore } from './classifiers.store.ts'

interface IntentsDeps {
  store: ClassifiersStore
  readExamples(): IntentExamples
  train: TrainIntents
  log: Log
}

/** Accuracy of a classifier: share of test examples classified correctly, 0 to 1. */
interface IntentFigures {
  version: number
  accuracy: number
}

interface RetrainResult {
  /** Figures of the previous classifier on the same test examples; null when there was none, or it's unreadable. */
  before: IntentFigures | null
  /** Figures of the new classifier, which has the next version even if it isn't kept. */
  after: IntentFigures
  /** True when the new classifier is in use: it's better, or the previous one is missing, unreadable or from another release. */
  isKept: boolean
  trainingCount: number
  heldOutCount: number
  /** Number of examples from users' calls. */
  calls: number
}

/** A stored classifier, with the version of the shipped examples that it was trained on. */
const storedModelSchema = packedClassifierSchema.extend({ examples: z.string() })

/** Time after which this server looks for a newer classifier trained by another server. */
const STALE_MS = 60_000
/** Delay after the start before the first training, unless requested earlier. */
const START_DELAY_MS = 3_000
/** Weight of a user's call, which may be a mistake, unlike a shipped example. */
const CALL_WEIGHT = 0.5

export type IntentsService = ReturnType<typeof createIntentsService>

/** Trains the intent classifier on the shipped examples and on calls that users accepted. */
export function createIntentsService({ store, readExamples, train, log }: IntentsDeps) {
  let model: IntentModel | null = null
  let version: number | null = null
  let checkedAt = Number.NEGATIVE_INFINITY
  let checking: Promise<void> | null = null
  let training: Promise<RetrainResult> | null = null
  let startTimer: NodeJS.Timeout | undefined
  let isStarted = false
  const closing = new AbortController()

  const load = async (): Promise<z.output<typeof storedModelSchema> | null> => {
    const row = await store.current()
    const packed = storedModelSchema.safeParse(row?.model)
    model = packed.success ? unpackIntents(packed.data) : null
    version = row?.version ?? null
    checkedAt = performance.now()
    return packed.success && model !== null ? packed.data : null
  }

  /** Shipped examples and users' calls, without duplicate and ambiguous texts. */
  const gather = async () => {
    const shipped = readExamples()
    const shippedTexts = new Set([...shipped.training, ...shipped.heldOut].map(({ text }) => normalized(text)))
    const calls = new Map<string, IntentExample | null>()
    for (const { text, label } of await store.acceptedCalls()) {
      const key = normalized(text)
      if (shippedTexts.has(key)) continue
      const existing = calls.get(key)
      calls.set(key, existing === undefined || existing?.label === label ? { text, label, weight: CALL_WEIGHT } : null)
    }
    const accepted = [...calls.values()].filter((call) => call !== null)
    return {
      version: shipped.version,
      training: [...shipped.training, ...accepted.filter(({ text }) => !isHeldOut(text))],
      heldOut: [...shipped.heldOut, ...accepted.filter(({ text }) => isHeldOut(text))],
      calls: accepted.length,
    }
  }

  const retrainNow = async (): Promise<RetrainResult> => {
    const current = await load()
    const previous = version
    const examples = await gather()
    const result = await train({ training: examples.training, heldOut: examples.heldOut, current }, closing.signal)
    const before =
      previous === null || result.currentAccuracy === null
        ? null
        : { version: previous, accuracy: result.currentAccuracy }
    // A classifier trained on another release's examples may know other agents.
    const isOutdated = current?.examples !== examples.version
    const isBetter = before === null || isOutdated || result.accuracy > before.accuracy
    const row = {
      model: { examples: examples.version, ...result.model },
      trainedOn: examples.training.length,
      measuredOn: examples.heldOut.length,
      accuracy: result.accuracy,
    }
    const keptVersion = isBetter ? await store.save(row, previous) : false
    await load()
    const after = { version: keptVersion === false ? (previous ?? 0) + 1 : keptVersion, accuracy: result.accuracy }
    log.info(
      { ...after, before: before?.accuracy ?? null, kept: keptVersion !== false },
      'trained the intent classifier',
    )
    return {
      before,
      after,
      isKept: keptVersion !== false,
      trainingCount: examples.training.length,
      heldOutCount: examples.heldOut.length,
      calls: examples.calls,
    }
  }

  /** Trains a new classifier and keeps the better one; concurrent callers share one training. */
  const retrain = (): Promise<RetrainResult> => {
    training ??= retrainNow().finally(() => {
      training = null
    })
    return training
  }

  /** Ensures that there is a classifier for the examples of this release. */
  const prepare = async () => {
    const current = await load()
    if (current?.examples !== readExamples().version) await retrain()
  }

  /** Prepares a classifier in the background, or loads a newer one that another server has trained. */
  const check = () => {
    if (!isStarted || checking !== null) return
    clearTimeout(startTimer)
    const loadNewer = async () => {
      checkedAt = performance.now()
      if ((await store.currentVersion()) !== version) await load()
    }
    checking = (model === null ? prepare() : loadNewer())
      .catch((error: unknown) => {
        checkedAt = performance.now()
        if (!closing.signal.aborted) log.error({ err: error }, 'could not prepare the intent classifier')
      })
      .finally(() => {
        checking = null
      })
  }

  return {
    /** Starts preparing a classifier in the background. */
    start(): void {
      isStarted = true
      startTimer = setTimeout(check, START_DELAY_MS)
      startTimer.unref()
    },

    /** Intents of a sentence according to the classifier, most likely first; empty while there is none. */
    guess(text: string): IntentGuess[] {
      if (performance.now() - checkedAt > STALE_MS) check()
      return model === null ? [] : guessIntent(model, text)
    },

    retrain,

    async close(): Promise<void> {
      clearTimeout(startTimer)
      isStarted = false
      closing.abort(new Error('The server is closing'))
      await Promise.allSettled([checking, training])
    },
  }
}

function normalized(text: string): string {
  return text.trim().toLowerCase()
}
