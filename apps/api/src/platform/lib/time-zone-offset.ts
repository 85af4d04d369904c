/** ISO date of a moment in a time zone, such as 2026-11-22; no locale is guaranteed to format dates this way. */
export function isoDayIn(timeZone: string, moment: Date): string {
  return new Date(moment.getTime() + offsetAt(moment, timeZone)).toISOString().slice(0, 10)
}

/** Offset of a time zone from UTC at a moment, in milliseconds; positive east of Greenwich. */
export function offsetAt(moment: Date, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  const name = format.formatToParts(moment).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = /GMT([+-])(\d+):(\d+)(?::(\d+))?/.exec(name) ?? []
  const length = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000
  return sign === '-' ? -length : length
}
