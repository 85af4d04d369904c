/** Waits for a time, or until the network returns or the signal aborts; with null, only for one of the latter two. */
export function pause(milliseconds: number | null, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer)
      window.removeEventListener('online', finish)
      signal?.removeEventListener('abort', finish)
      resolve()
    }
    const timer = milliseconds === null ? undefined : setTimeout(finish, milliseconds)
    window.addEventListener('online', finish)
    signal?.addEventListener('abort', finish)
    if (signal?.aborted) finish()
  })
}
