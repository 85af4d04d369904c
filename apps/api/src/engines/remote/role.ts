import type { Check } from '@mira/shared'
import { EngineError, sentenceOf } from '../../errors.ts'
import { asReason, type Sentence } from '../../sentences.ts'
import type { Connection } from './connection.ts'
import type { RemoteModel } from './models.ts'

/** Purpose of a server, and the choice of its model. */
export interface RoleOptions {
  connection: Connection
  /** The environment variable that names the model. */
  variable: string
  /** The model that is wanted; another one may be at any time. */
  named(): string | undefined
  /** Finds one among those that the server lists, when none is named. */
  choose(models: RemoteModel[]): string | null
  /** Message for the user when there is no model. */
  missing(): Sentence
  /** True when having no model is normal, rather than an error. */
  isOptional: boolean
}

/** One thing that a server is wanted for: with which model, and whether it works. */
export interface ModelRole {
  variable: string
  /** The model that would be asked now; null when none is known. */
  model(): string | null
  /** @throws EngineError when no model is named and the server names none. */
  requireModel(): Promise<string>
  /** As far as is known; asks the server again in the background when that is old. */
  check(): Check
  /** True while another server is preferable. */
  isDown(): boolean
  /** A call was answered. */
  succeeded(): void
  /** A call failed. */
  failed(error: EngineError): void
}

/** Failures of the server that are shown until a call is answered; being listed does not prove that a model works. */
const shownCodes = new Set(['model_key_refused', 'model_not_found', 'model_timeout'])
/** Failures that say that this server, with this model, cannot do it at all. */
const lackCodes = new Set(['capability_missing', 'vision_unavailable'])

/** Keeps what is known of one thing that a server is wanted for. */
export function createRole({ connection, variable, named, choose, missing, isOptional }: RoleOptions): ModelRole {
  let callTrouble: Sentence | null = null
  let failedAt = Number.NEGATIVE_INFINITY
  let lack: { sentence: Sentence; endsAt: number } | null = null
  let requestedModel = named()

  const model = () => named() ?? choose(connection.models())

  /** Forgets the knowledge about another model. */
  const forgetOther = () => {
    if (named() === requestedModel) return
    requestedModel = named()
    callTrouble = null
    lack = null
  }

  const check = (): Check => {
    connection.refresh()
    forgetOther()
    if (lack !== null && performance.now() < lack.endsAt) return { state: 'off', ...asReason(lack.sentence) }
    const chosenId = model()
    const checkedAt = connection.checkedAt()
    const at = checkedAt === null ? {} : { checked_at: checkedAt.toISOString() }
    const engineInfo = { engine: 'remote', ...(chosenId ? { model: chosenId } : {}), ...at }
    const isKnown = connection.hasListed() || connection.trouble() === null
    if (chosenId === null && isOptional && isKnown) return { state: 'off', ...asReason(missing()) }
    const trouble = callTrouble ?? connection.trouble() ?? (chosenId === null ? missing() : null)
    return trouble === null ? { state: 'ok', ...engineInfo } : { state: 'error', ...engineInfo, ...asReason(trouble) }
  }

  return {
    variable,
    model,
    async requireModel() {
      if (model() === null) await connection.probe()
      const chosenId = model()
      if (chosenId !== null) return chosenId
      const trouble = connection.trouble()
      if (trouble !== null) throw new EngineError(trouble, { code: 'model_unreachable' })
      throw new EngineError(missing(), { code: 'model_not_found', isLasting: true })
    },
    check,
    isDown() {
      connection.refresh()
      forgetOther()
      const failedLately = callTrouble !== null && performance.now() - failedAt < connection.probeIntervalMs
      return failedLately || connection.trouble() !== null
    },
    succeeded() {
      connection.responded()
      callTrouble = null
      lack = null
    },
    failed(error) {
      forgetOther()
      if (error.code === 'model_unreachable') connection.unreachable(sentenceOf(error))
      else if (shownCodes.has(error.code)) {
        callTrouble = sentenceOf(error)
        failedAt = performance.now()
      }
      if (lackCodes.has(error.code))
        lack = { sentence: sentenceOf(error), endsAt: performance.now() + connection.lackMs }
    },
  }
}
