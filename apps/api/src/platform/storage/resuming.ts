import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'

/** Maximum consecutive interruptions without a byte in between. */
const MAX_RESUMES = 3
const RESUME_AFTER_MS = 500

/**
 * A stream that resumes after interruptions; `last` is the last byte's index, inclusive.
 * @param finalError returns the error to fail with when resuming doesn't help.
 */
export function resuming(
  first: Readable,
  { start, last }: { start: number; last: number },
  { resume, finalError }: { resume(position: number): Promise<Readable>; finalError(error: unknown): unknown },
): Readable {
  let current = first
  const read = async function* () {
    let position = start
    for (let failures = 0; position <= last; ) {
      try {
        if (failures > 0) {
          await sleep(failures * RESUME_AFTER_MS)
          current = await resume(position)
        }
        for await (const piece of current) {
          position += (piece as Buffer).length
          failures = 0
          yield piece as Buffer
        }
        if (position <= last) throw new Error('The stream ended too early.')
      } catch (error) {
        if (stream.destroyed) return
        failures++
        if (failures > MAX_RESUMES) throw finalError(error)
      }
    }
  }
  const stream = Readable.from(read(), { objectMode: false })
  // closes the source even if nothing was read
  stream.once('close', () => current.destroy())
  return stream
}
