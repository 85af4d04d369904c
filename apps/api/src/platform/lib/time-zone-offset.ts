/** ISO date of a moment in a time zone, such as 2026-11-22. It's computed, since no locale is guaranteed to format dates this way. */
export function isoDayIn(timeZone: string, moment: Date): string {
  return new Date(moment.getTime() + offsetAt(moment, timeZone)).toISOString().slice(0, 10)
}

/** Maximum number of cached formats. */
const MAX_ZONES = 100
/** Cached, since creating a format takes far longer than using it. */
const formats = new Map<string, Intl.DateTimeFormat>()

function formatFor(timeZone: string): Intl.DateTimeFormat {
  const cached = formats.get(timeZone)
  if (cached !== undefined) return cached
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  if (formats.size < MAX_ZONES) formats.set(timeZone, format)
  return format
}

/** Offset of a time zone from UTC at a moment, in milliseconds; positive east of Greenwich. */
export function offsetAt(moment: Date, timeZone: string): number {
  const format = formatFor(timeZone)
  const name = format.formatToParts(moment).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = /GMT([+-])(\d+):(\d+)(?::(\d+))?/.exec(name) ?? []
  const length = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000
  return sign === '-' ? -length : length
}
