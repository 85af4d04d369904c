import { setTimeout as sleep } from 'node:timers/promises'
import { EngineError } from '../../errors.ts'
import { say } from '../../sentences.ts'
import type { Connection } from './connection.ts'
import { asEngineError, type ModelCapability, type RemoteFailure, type RemoteRequest } from './errors.ts'
import type { ModelRole } from './role.ts'

/** Timeouts of one attempt to stream an answer. */
export interface Watch {
  signal: AbortSignal
  /** True once a token has arrived, including one of reasoning. */
  readonly hasStarted: boolean
  readonly hasTimedOut: boolean
  /** Resets the timeout: data arrived. */
  touch(isToken: boolean): void
  /** Marks the answer as complete; the server has a moment left to report usage and close the connection. */
  settle(): void
  end(): void
}

const SETTLE_MS = 3000

/**
 * Aborts an attempt when the user stops it, or when the server is silent for too long; calls `onBegin` at the first token.
 */
export function watchStream(
  stopped: AbortSignal,
  firstTokenTimeoutMs: number,
  idleTimeoutMs: number,
  onBegin = () => {},
): Watch {
  const controller = new AbortController()
  let hasStarted = false
  let hasTimedOut = false
  const hang = () => {
    hasTimedOut = true
    controller.abort()
  }
  const stop = () => controller.abort()
  if (stopped.aborted) stop()
  stopped.addEventListener('abort', stop, { once: true })
  let timer = setTimeout(hang, firstTokenTimeoutMs)
  return {
    signal: controller.signal,
    get hasStarted() {
      return hasStarted
    },
    get hasTimedOut() {
      return hasTimedOut
    },
    touch(isToken) {
      if (hasStarted || !isToken) {
        timer.refresh()
        return
      }
      hasStarted = true
      onBegin()
      clearTimeout(timer)
      timer = setTimeout(hang, idleTimeoutMs)
    },
    settle() {
      clearTimeout(timer)
      timer = setTimeout(stop, SETTLE_MS)
    },
    end() {
      clearTimeout(timer)
      stopped.removeEventListener('abort', stop)
      controller.abort()
    },
  }
}

/** Waits; false when the signal was aborted first. */
export async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(ms, undefined, { signal })
    return true
  } catch {
    return false
  }
}

export interface CallOptions {
  connection: Connection
  role: ModelRole
  signal: AbortSignal
  timeoutMs: number
  hasPictures?: boolean
  /** Maximum number of retries; 2 by default. */
  maxRetries?: number
  /** Requested ability, for the error when the server lacks it. */
  capability?: ModelCapability
}

const MAX_RETRIES = 2
/** A longer wait ends the call, so that the user sees the error instead. */
const MAX_RETRY_WAIT_MS = 20_000

/** Wait before a retry, in milliseconds; null when a retry wouldn't help. */
export function retryWaitMs(failure: RemoteFailure, attempt: number, retryDelayMs: number): number | null {
  if (!failure.isWorthRetrying || attempt >= MAX_RETRIES) return null
  const waitMs = failure.retryAfterMs ?? retryDelayMs * 2 ** attempt
  return waitMs > MAX_RETRY_WAIT_MS ? null : waitMs
}

/**
 * Makes a request that isn't streamed, with retries.
 * @throws EngineError when it fails; the signal's reason.
 */
export async function callRemote<Result>(
  { connection, role, signal, timeoutMs, hasPictures, maxRetries = MAX_RETRIES, capability }: CallOptions,
  ask: (model: string, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { address, retryDelayMs, log } = connection
  const model = await role.requireModel()
  const request: RemoteRequest = { address, model, variable: role.modelVariable, hasPictures, capability }
  const fail = (error: EngineError): EngineError => {
    role.recordFailure(error)
    return error
  }
  for (let attempt = 0; ; attempt++) {
    signal.throwIfAborted()
    const permit = await connection.calls.acquire({ signal })
    const deadline = AbortSignal.timeout(timeoutMs)
    try {
      const result = await ask(model, AbortSignal.any([signal, deadline]))
      role.recordSuccess()
      return result
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof EngineError) throw fail(error)
      if (deadline.aborted) {
        const sentence = say('model_call_timeout', { address, seconds: timeoutMs / 1000 })
        throw fail(new EngineError(sentence, { code: 'model_timeout', cause: error }))
      }
      const failure = connection.readFailure(error, request, false)
      const waitMs = attempt < maxRetries ? retryWaitMs(failure, attempt, retryDelayMs) : null
      if (waitMs === null) throw fail(asEngineError(failure, error))
      log.info({ code: failure.code, wait_ms: waitMs }, 'retrying a request to the model server')
      permit[Symbol.dispose]()
      await pause(waitMs, signal)
    } finally {
      permit[Symbol.dispose]()
    }
  }
}
