import { z } from 'zod'
import { EARLIEST_TAKEN_YEAR, MAX_SHIFT_SECONDS } from './constants/limits.ts'

const LOCAL_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?$/
/** Largest UTC offset, that of the Line Islands. */
const MAX_UTC_OFFSET_MS = 14 * 3_600_000

/** Local time in milliseconds since 1970, as if it were UTC; NaN for a time that doesn't exist. */
export function localTimeMs(clock: string): number {
  const ms = Date.parse(`${clock}Z`)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(clock) ? ms : Number.NaN
}

/** Reason to refuse a capture time, such as one in the future; null for a possible time. */
export function captureTimeProblem(ms: number, nowMs = Date.now()): string | null {
  if (ms < Date.UTC(EARLIEST_TAKEN_YEAR, 0))
    return `This is before ${EARLIEST_TAKEN_YEAR}, when the first photograph was taken.`
  if (ms > nowMs + MAX_UTC_OFFSET_MS) return 'This is in the future.'
  return null
}

/** Local time at the place, without a zone: 2024-07-14T09:28:00. */
const takenAtSchema = z
  .string()
  .regex(LOCAL_TIME, { error: 'Write a date and time without a zone, such as 2024-07-14T09:28:00.' })
  .refine((clock) => !LOCAL_TIME.test(clock) || !Number.isNaN(localTimeMs(clock)), {
    error: 'There is no such date and time.',
  })
  .superRefine((clock, context) => {
    const refusal = captureTimeProblem(localTimeMs(clock))
    if (refusal !== null) context.addIssue({ code: 'custom', message: refusal })
  })

/** Corrections of date and place. */
export const itemCorrectionsShape = {
  /** Corrected capture time; null removes the correction. */
  taken_at: takenAtSchema.nullable().optional(),
  /** Location in degrees, both or neither. Null removes the correction; if there is none, it removes the file's own location. */
  latitude: z.number().min(-90).max(90).nullable().optional(),
  longitude: z.number().min(-180).max(180).nullable().optional(),
}
export type ItemCorrections = z.output<z.ZodObject<typeof itemCorrectionsShape>>

/** Refuses a latitude without a longitude or vice versa, and 0, 0, which cameras write for an unknown place. */
export function requirePlace({ latitude, longitude }: ItemCorrections, context: z.RefinementCtx): void {
  const refuse = (message: string) => context.addIssue({ code: 'custom', message, path: ['latitude'] })
  if (typeof latitude !== typeof longitude || (latitude === null) !== (longitude === null)) {
    refuse('Give both latitude and longitude, or null for both.')
  } else if (latitude === 0 && longitude === 0) {
    refuse('0, 0 stands for an unknown place. Leave the place out instead.')
  }
}

export const shiftSecondsSchema = z.number().int().min(-MAX_SHIFT_SECONDS).max(MAX_SHIFT_SECONDS)
