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

/** Accuracy of a classifier: share of correct test examples, 0 to 1. */
interface IntentFigures {
  version: number
  accuracy: number
}

interface RetrainResult {
  /** The one that was in use, measured on the same examples; null when there was none, or none that can be read. */
  before: IntentFigures | null
  /** The new one; its version is the next one, whether it is kept or not. */
  after: IntentFigures
  /** True when the new classifier is better and now in use. */
  isKept: boolean
  trainedOn: number
  measuredOn: number
  /** Number of examples that were users' calls. */
  calls: number
}

/** A trained classifier and the examples that it was trained on. */
const storedModelSchema = packedClassifierSchema.extend({ examples: z.string() })

/** Time after which another server's training is picked up. */
const STALE_MS = 60_000
/** Delay after the start before the first training, unless requested earlier. */
const START_DELAY_MS = 3_000
/** A call may have been made by mistake; a shipped example was not. */
const CALL_WEIGHT = 0.5

export type IntentsService = ReturnType<typeof createIntentsService>

/** Trains the intent classifier on the shipped examples and on calls that users accepted. */
export function createIntentsService({ store, readExamples, train, log }: IntentsDeps) {
  let model: IntentModel | null = null
  let version: number | null = null
  let lookedAt = Number.NEGATIVE_INFINITY
  let looking: Promise<void> | null = null
  let training: Promise<RetrainResult> | null = null
  let startTimer: NodeJS.Timeout | undefined
  let isStarted = false
  const closing = new AbortController()

  const load = async (): Promise<z.output<typeof storedModelSchema> | null> => {
    const row = await store.current()
    const packed = storedModelSchema.safeParse(row?.model)
    model = packed.success ? unpackIntents(packed.data) : null
    version = row?.version ?? null
    lookedAt = performance.now()
    return packed.success && model !== null ? packed.data : null
  }

  /** Shipped examples and users' calls, each text once; ambiguous texts are left out. */
  const gather = async () => {
    const shipped = readExamples()
    const shippedTexts = new Set([...shipped.training, ...shipped.heldOut].map(({ text }) => plain(text)))
    const calls = new Map<string, IntentExample | null>()
    for (const { text, label } of await store.acceptedCalls()) {
      const key = plain(text)
      if (shippedTexts.has(key)) continue
      const other = calls.get(key)
      calls.set(key, other === undefined || other?.label === label ? { text, label, weight: CALL_WEIGHT } : null)
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
    const { training: learnt, heldOut } = examples
    const result = await train({ training: learnt, heldOut, current }, closing.signal)
    const before =
      previous === null || result.currentAccuracy === null
        ? null
        : { version: previous, accuracy: result.currentAccuracy }
    // one that was trained for other examples, of another release, may know other agents
    const isOther = current?.examples !== examples.version
    const isBetter = before === null || isOther || result.accuracy > before.accuracy
    const row = {
      model: { examples: examples.version, ...result.model },
      trainedOn: learnt.length,
      measuredOn: heldOut.length,
      accuracy: result.accuracy,
    }
    const keptVersion = isBetter ? await store.keep(row, previous) : false
    await load()
    const after = { version: keptVersion === false ? (previous ?? 0) + 1 : keptVersion, accuracy: result.accuracy }
    log.info(
      { ...after, before: before?.accuracy ?? null, kept: keptVersion !== false },
      'the intent classifier was trained',
    )
    return {
      before,
      after,
      isKept: keptVersion !== false,
      trainedOn: learnt.length,
      measuredOn: heldOut.length,
      calls: examples.calls,
    }
  }

  /** Trains a new classifier and uses it if it's better; concurrent callers share one training. */
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

  const look = () => {
    if (!isStarted || looking !== null) return
    clearTimeout(startTimer)
    const noticeOthers = async () => {
      lookedAt = performance.now()
      if ((await store.currentVersion()) !== version) await load()
    }
    looking = (model === null ? prepare() : noticeOthers())
      .catch((error: unknown) => {
        lookedAt = performance.now()
        if (!closing.signal.aborted) log.error({ err: error }, 'the intent classifier could not be prepared')
      })
      .finally(() => {
        looking = null
      })
  }

  return {
    /** Begins to prepare a classifier in the background. */
    start(): void {
      isStarted = true
      startTimer = setTimeout(look, START_DELAY_MS)
      startTimer.unref()
    },

    /** Intents of a sentence by the trained classifier, the most likely first; empty while there is no classifier. */
    guess(text: string): IntentGuess[] {
      if (performance.now() - lookedAt > STALE_MS) look()
      return model === null ? [] : guessIntent(model, text)
    },

    retrain,

    async close(): Promise<void> {
      clearTimeout(startTimer)
      isStarted = false
      closing.abort(new Error('The server is closing'))
      await Promise.allSettled([looking, training])
    },
  }
}

function plain(text: string): string {
  return text.trim().toLowerCase()
}
