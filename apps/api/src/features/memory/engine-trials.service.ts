import type { Embedder } from '../../adapters/ai/other-engines.ts'
import type { Log } from '../../log.ts'
import type { Maker } from './encoders.ts'
import { type Trust, trustIn, tryEngine } from './engine-trial.ts'

/** Trust in an engine that has not been tried yet. */
const UNKNOWN_TRUST = 0.5
const TRIAL_TIMEOUT_MS = 60_000
/** Longest wait of a search for the trial of a new engine. */
const PATIENCE_MS = 400
/** Wait before repeating a failed trial. */
const AGAIN_AFTER_MS = 60_000

/** Tries each embedding engine once, so that searches know how much its vectors tell. */
export function createEngineTrials({ log }: { log: Log }) {
  const trials = new Map<string, { trust: Promise<Trust | null>; failedAt: number }>()

  const begin = (embedder: Embedder): Promise<Trust | null> => {
    const key = keyOf({ engine: embedder.engine, model: embedder.model() ?? '' })
    const known = trials.get(key)
    if (known && (known.failedAt === 0 || Date.now() - known.failedAt < AGAIN_AFTER_MS)) return known.trust
    const trial = { failedAt: 0, trust: Promise.resolve<Trust | null>(null) }
    trial.trust = tryEngine(embedder, AbortSignal.timeout(TRIAL_TIMEOUT_MS)).catch((error: unknown) => {
      log.warn({ err: error, model: embedder.model() }, 'an embedding engine could not be tried')
      trial.failedAt = Date.now()
      return null
    })
    trials.set(key, trial)
    return trial.trust
  }

  return {
    /** Begins the trial of an engine that is in use; never throws. */
    begin: (embedder: Embedder): void => void begin(embedder),

    /**
     * Trust in an engine's vectors for a language (ISO 639-1; null when unsure), 0 to 1.
     * @param chosen current engine for new vectors: a previous one isn't tried any more.
     */
    async trustIn(maker: Maker, chosen: Embedder | null, language: string | null): Promise<number> {
      const isChosen =
        chosen !== null && chosen.engine === maker.engine && (chosen.model() ?? maker.model) === maker.model
      const trial = isChosen ? begin(chosen) : trials.get(keyOf(maker))?.trust
      if (trial === undefined) return UNKNOWN_TRUST
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<null>((resolve) => {
        timer = setTimeout(resolve, PATIENCE_MS, null)
      })
      const trust = await Promise.race([trial, late])
      clearTimeout(timer)
      return trust === null ? UNKNOWN_TRUST : trustIn(trust, language)
    },
  }
}

function keyOf({ engine, model }: Maker): string {
  return `${engine} ${model}`
}
