import type { Check } from '@mira/shared'
import { EngineError, sentenceOf } from '../../errors.ts'
import { asReason, type Sentence } from '../../sentences.ts'
import type { Connection } from './connection.ts'
import type { RemoteModel } from './models.ts'

/** A server, and how to choose its model for one capability. */
interface RoleOptions {
  connection: Connection
  /** Environment variable that names the model. */
  modelVariable: string
  /** The configured model; it may change at any time. */
  configuredModel(): string | undefined
  /** Chooses one of the listed models when none is configured. */
  choose(models: RemoteModel[]): string | null
  /** Message for the user when there is no model. */
  missing(): Sentence
  /** True when having no model is normal, rather than an error. */
  isOptional: boolean
}

/** A capability (chat, captions, …) that a server provides: its model and its health. */
export interface ModelRole {
  modelVariable: string
  /** The model that would be used now; null when unknown. */
  model(): string | null
  /** @throws EngineError when no model is configured and none of the server's models fits. */
  requireModel(): Promise<string>
  /** Last known state; refreshes in the background when stale. */
  check(): Check
  /** True while another server is preferable. */
  isDown(): boolean
  /** Records a successful call. */
  recordSuccess(): void
  /** Records a failed call. */
  recordFailure(error: EngineError): void
}

/** Failures shown until a call succeeds: being listed doesn't prove that a model works. */
const persistentCodes = new Set(['model_key_refused', 'model_not_found', 'model_timeout'])
/** Failures that mean that the server lacks the capability with this model. */
const unsupportedCodes = new Set(['capability_missing', 'vision_unavailable'])

/** Tracks the model and the health of one capability of a server. */
export function createRole({
  connection,
  modelVariable,
  configuredModel,
  choose,
  missing,
  isOptional,
}: RoleOptions): ModelRole {
  let callProblem: Sentence | null = null
  let failedAt = Number.NEGATIVE_INFINITY
  let unsupported: { sentence: Sentence; endsAt: number } | null = null
  let requestedModel = configuredModel()

  const model = () => configuredModel() ?? choose(connection.models())

  /** Resets the state after the configured model has changed. */
  const resetIfChanged = () => {
    if (configuredModel() === requestedModel) return
    requestedModel = configuredModel()
    callProblem = null
    unsupported = null
  }

  const check = (): Check => {
    connection.refresh()
    resetIfChanged()
    if (unsupported !== null && performance.now() < unsupported.endsAt)
      return { state: 'off', ...asReason(unsupported.sentence) }
    const chosenId = model()
    const checkedAt = connection.checkedAt()
    const checkTime = checkedAt === null ? {} : { checked_at: checkedAt.toISOString() }
    const engineInfo = { engine: 'remote', ...(chosenId ? { model: chosenId } : {}), ...checkTime }
    const isKnown = connection.hasListed() || connection.problem() === null
    if (chosenId === null && isOptional && isKnown) return { state: 'off', ...asReason(missing()) }
    const problem = callProblem ?? connection.problem() ?? (chosenId === null ? missing() : null)
    return problem === null ? { state: 'ok', ...engineInfo } : { state: 'error', ...engineInfo, ...asReason(problem) }
  }

  return {
    modelVariable,
    model,
    async requireModel() {
      if (model() === null) await connection.probe()
      const chosenId = model()
      if (chosenId !== null) return chosenId
      const problem = connection.problem()
      if (problem !== null) throw new EngineError(problem, { code: 'model_unreachable' })
      throw new EngineError(missing(), { code: 'model_not_found', isPermanent: true })
    },
    check,
    isDown() {
      connection.refresh()
      resetIfChanged()
      const hasFailedRecently = callProblem !== null && performance.now() - failedAt < connection.probeIntervalMs
      return hasFailedRecently || connection.problem() !== null
    },
    recordSuccess() {
      connection.recordResponse()
      callProblem = null
      unsupported = null
    },
    recordFailure(error) {
      resetIfChanged()
      if (error.code === 'model_unreachable') connection.recordUnreachable(sentenceOf(error))
      else if (persistentCodes.has(error.code)) {
        callProblem = sentenceOf(error)
        failedAt = performance.now()
      }
      if (unsupportedCodes.has(error.code))
        unsupported = { sentence: sentenceOf(error), endsAt: performance.now() + connection.unsupportedMs }
    },
  }
}
