import type { Language } from '@mira/shared'

const MINUTE_MS = 60_000

/** Relative age in a language, such as "3 hours ago". */
export function ageOf(time: Date, now: Date, language: Language): string {
  const minutes = Math.max(0, Math.round((now.getTime() - time.getTime()) / MINUTE_MS))
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'always' })
  if (minutes < 60) return format.format(-minutes, 'minute')
  const hours = Math.round(minutes / 60)
  return hours < 48 ? format.format(-hours, 'hour') : format.format(-Math.round(hours / 24), 'day')
}
