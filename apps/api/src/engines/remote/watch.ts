import { setTimeout as sleep } from 'node:timers/promises'

/** Watches over one attempt to stream an answer. */
export interface Watch {
  signal: AbortSignal
  /** True once a token, also one of reasoning, has arrived. */
  readonly hasStarted: boolean
  readonly isHanging: boolean
  /** Something came. */
  touch(isToken: boolean): void
  /** The answer is complete: its server has a moment to report the tokens and to close the connection. */
  settle(): void
  end(): void
}

const SETTLE_MS = 3000

/**
 * Aborts one attempt when the user stops it, or when the server keeps silent for too long; `onBegin` is called at the first
 * token.
 */
export function watchStream(
  stopped: AbortSignal,
  firstTokenTimeoutMs: number,
  idleTimeoutMs: number,
  onBegin = () => {},
): Watch {
  const controller = new AbortController()
  let hasStarted = false
  let isHanging = false
  const hang = () => {
    isHanging = true
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
    get isHanging() {
      return isHanging
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

/** Waits; false when the signal came first. */
export async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(ms, undefined, { signal })
    return true
  } catch {
    return false
  }
}
