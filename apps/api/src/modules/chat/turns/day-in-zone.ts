const MAX_ZONES = 500
/** Making one takes far longer than using it, the first of a process most of all. */
const formats = new Map<string, Intl.DateTimeFormat>()

/** The date in a time zone (IANA name), in English words. */
export function dayIn(timeZone: string, moment: Date = new Date()): string {
  let format = formats.get(timeZone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeZone })
    if (formats.size < MAX_ZONES) formats.set(timeZone, format)
  }
  return format.format(moment)
}
