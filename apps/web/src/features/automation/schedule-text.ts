import cronstrue from 'cronstrue'
import 'cronstrue/locales/de'
import 'cronstrue/locales/es'
import 'cronstrue/locales/fr'

/** A schedule in plain words of a language; null when it is none. */
export function scheduleText(schedule: string, language: string): string | null {
  if (schedule.trim().split(/\s+/).length !== 5) return null
  try {
    return cronstrue.toString(schedule, { locale: language, use24HourTimeFormat: true })
  } catch {
    return null
  }
}
