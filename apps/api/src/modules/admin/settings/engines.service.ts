import {
  type Capability,
  type Check,
  type CodedSentence,
  capabilities,
  type EngineChoice,
  type EngineState,
  type EngineTestResponse,
  type Sentence,
  say,
} from '@mira/shared'
import { AppError, sentenceOf } from '../../../errors.ts'
import type { Log } from '../../../log.ts'

export interface EnginesDeps {
  checks(): Record<Capability, Check>
  options(capability: Capability): { choices: EngineChoice['engine'][]; remoteModels: string[] }
  /** Models configured by the environment, with the variable. */
  environment: Partial<Record<Capability, { variable: string; model: string | null }>>
  trials: Record<
    Capability,
    (
      signal: AbortSignal,
    ) => Promise<{ ok: boolean; detail: string; told: CodedSentence[]; engine: string; model: string | null }>
  >
  timeoutMs?: number
  log: Log
}

export type EnginesService = ReturnType<typeof createEnginesService>

/** A model that runs here may have to be loaded first. */
const TIMEOUT_MS = 120_000

/** Tells what does each capability, and tries it. */
export function createEnginesService(deps: EnginesDeps) {
  const { checks, options, environment, trials, timeoutMs = TIMEOUT_MS, log } = deps
  const running = new Map<Capability, Promise<EngineTestResponse>>()

  const test = async (capability: Capability): Promise<EngineTestResponse> => {
    const startedAt = performance.now()
    const timeout = AbortSignal.timeout(timeoutMs)
    const answer = (outcome: Omit<EngineTestResponse, 'duration_ms'>): EngineTestResponse => ({
      ...outcome,
      duration_ms: Math.round(performance.now() - startedAt),
    })
    try {
      return answer(await within(timeout, trials[capability](timeout)))
    } catch (error) {
      const { engine = null, model = null } = checks()[capability]
      const failed = ({ text, told }: Sentence) => answer({ ok: false, engine, model, detail: text, told })
      if (timeout.aborted) {
        const seconds = timeoutMs / 1000
        return failed(say('trial_slow', { seconds }, `It did not answer within ${seconds} seconds.`))
      }
      if (error instanceof AppError) return failed(sentenceOf(error))
      log.warn({ err: error, capability }, 'the trial of an engine failed')
      return failed(say('trial_failed', {}, 'It failed; the log of the server says how.'))
    }
  }

  return {
    states(): Record<Capability, EngineState> {
      const current = checks()
      return Object.fromEntries(
        capabilities.map((name): [Capability, EngineState] => {
          const { choices, remoteModels } = options(name)
          return [
            name,
            { check: current[name], choices, remote_models: remoteModels, environment: environment[name] ?? null },
          ]
        }),
      ) as Record<Capability, EngineState>
    },

    /** Does it once, within two minutes; who asks meanwhile gets the same answer. What goes wrong is the answer. */
    test(capability: Capability): Promise<EngineTestResponse> {
      const known = running.get(capability)
      if (known !== undefined) return known
      const begun = test(capability).finally(() => running.delete(capability))
      running.set(capability, begun)
      return begun
    },
  }
}

/** Rejects when the time is over, also when the work does not mind its signal. */
function within<T>(timeout: AbortSignal, work: Promise<T>): Promise<T> {
  const over = new Promise<never>((_, reject) => {
    timeout.addEventListener('abort', () => reject(timeout.reason), { once: true })
  })
  return Promise.race([work, over])
}
