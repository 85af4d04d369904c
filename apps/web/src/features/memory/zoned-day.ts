/** The moment at which a day such as `2026-11-20` begins in an IANA time zone. */
export function startOfDay(day: string, timeZone: string): Date {
  const asIfUtc = Date.parse(`${day}T00:00:00Z`)
  // The offset is asked for twice: around a change of the clocks the first answer is that of the other side.
  const guess = asIfUtc - offsetMs(asIfUtc, timeZone)
  return new Date(asIfUtc - offsetMs(guess, timeZone))
}

/** Offset of a zone from UTC at a moment, positive to the east. */
function offsetMs(atMs: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(atMs)
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((one) => one.type === type)?.value)
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'))
  return local - atMs
}
