import type { BackupSchedule } from '@mira/shared'
import { CronExpressionParser } from 'cron-parser'

/** The times of a schedule around a moment; null where none is made by itself. */
export function slotsAround(schedule: BackupSchedule, moment: Date): { latest: Date; next: Date } | null {
  if (schedule.every === 'never') return null
  const [hour, minute] = schedule.at.split(':').map(Number)
  const weekday = schedule.every === 'week' ? schedule.weekday % 7 : '*'
  const slots = (currentDate: Date) =>
    CronExpressionParser.parse(`${minute} ${hour} * * ${weekday}`, { tz: schedule.time_zone, currentDate })
  // the time before does not count the moment itself
  return {
    latest: slots(new Date(moment.getTime() + 1))
      .prev()
      .toDate(),
    next: slots(moment).next().toDate(),
  }
}
