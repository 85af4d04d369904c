import { CronExpressionParser } from 'cron-parser'
import { IANAZone } from 'luxon'
import { ValidationError } from '../../../errors.ts'

const FIELDS = 5
const MAX_NEXT = 5

/** Schedule of a task: cron text of five fields in a time zone. */
export interface Schedule {
  schedule: string
  timeZone: string
}

/** @throws ValidationError for an invalid schedule or time zone, with the reason. */
export function requireSchedule({ schedule, timeZone }: { schedule: string | null; timeZone: string }): void {
  if (!IANAZone.isValidZone(timeZone) || /^[+-]/.test(timeZone)) {
    refuse('time_zone', 'This is not the name of a time zone, such as Europe/Madrid.')
  }
  if (schedule === null) return
  const fields = schedule.trim().split(/\s+/)
  if (schedule.startsWith('@') || fields.length !== FIELDS) {
    refuse(
      'schedule',
      'A schedule has five fields: minute, hour, day of the month, month and weekday, such as 0 3 * * *.',
    )
  }
  try {
    CronExpressionParser.parse(schedule, { tz: timeZone }).next()
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/\.$/, '') : 'it cannot be read'
    refuse('schedule', `This is no schedule that can be followed: ${reason}.`)
  }
}

function refuse(path: string, message: string): never {
  throw new ValidationError(message, { errors: [{ path, message }] })
}

/** Next times after a moment, earliest first. */
export function nextSlots({ schedule, timeZone }: Schedule, after: Date, count = MAX_NEXT): Date[] {
  const expression = CronExpressionParser.parse(schedule, { tz: timeZone, currentDate: after })
  return Array.from({ length: count }, () => expression.next().toDate())
}

/** Latest slot after `from` and at or before `until`; null without one. */
export function latestSlot({ schedule, timeZone }: Schedule, from: Date, until: Date): Date | null {
  // `prev` excludes the given time itself.
  const justAfter = new Date(until.getTime() + 1)
  const slot = CronExpressionParser.parse(schedule, { tz: timeZone, currentDate: justAfter }).prev().toDate()
  return slot > from && slot <= until ? slot : null
}
