import { z } from 'zod'
import { EARLIEST_TAKEN_YEAR, MAX_SHIFT_SECONDS } from './constants/limits.ts'

const CLOCK = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?$/
/** The clocks of the islands furthest east. */
const EARLIEST_ZONE_MS = 14 * 3_600_000

/** The milliseconds of a clock as if it were UTC; NaN for one that there is not. */
export function clockMs(clock: string): number {
  const ms = Date.parse(`${clock}Z`)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(clock) ? ms : Number.NaN
}

/** Refusal of a clock at which nothing can have been taken; null for all others. */
export function refusalOfClock(ms: number, nowMs = Date.now()): string | null {
  if (ms < Date.UTC(EARLIEST_TAKEN_YEAR, 0))
    return `This is before ${EARLIEST_TAKEN_YEAR}, when the first photograph was taken.`
  if (ms > nowMs + EARLIEST_ZONE_MS) return 'This is in the future.'
  return null
}

/** The clock at the place, without a zone: 2024-07-14T09:28:00. */
const takenClockSchema = z
  .string()
  .regex(CLOCK, { error: 'Write a date and time without a zone, such as 2024-07-14T09:28:00.' })
  .refine((clock) => !CLOCK.test(clock) || !Number.isNaN(clockMs(clock)), { error: 'There is no such date and time.' })
  .superRefine((clock, context) => {
    const refusal = refusalOfClock(clockMs(clock))
    if (refusal !== null) context.addIssue({ code: 'custom', message: refusal })
  })

/** Date and place as a person corrects them. */
export const ownFactsShape = {
  /** Null takes the person's own date back. */
  taken_at: takenClockSchema.nullable().optional(),
  /** Degrees, both or neither; null takes the person's own place back, and where there is none, removes the file's. */
  latitude: z.number().min(-90).max(90).nullable().optional(),
  longitude: z.number().min(-180).max(180).nullable().optional(),
}
export type OwnFacts = z.output<z.ZodObject<typeof ownFactsShape>>

/** Refuses half a place, and the point that stands for none. */
export function requirePlace({ latitude, longitude }: OwnFacts, context: z.RefinementCtx): void {
  const refuse = (message: string) => context.addIssue({ code: 'custom', message, path: ['latitude'] })
  if (typeof latitude !== typeof longitude || (latitude === null) !== (longitude === null)) {
    refuse('Give both latitude and longitude, or null for both.')
  } else if (latitude === 0 && longitude === 0) {
    refuse('0, 0 stands for an unknown place. Leave the place out instead.')
  }
}

/** Seconds by which the date is moved. */
export const shiftSecondsSchema = z.number().int().min(-MAX_SHIFT_SECONDS).max(MAX_SHIFT_SECONDS)
