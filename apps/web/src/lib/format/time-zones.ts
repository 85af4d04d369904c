const DAY_MS = 24 * 3600 * 1000

/** Days until a moment, rounded up; 0 once it has passed. */
export function daysLeft(until: string): number {
  return Math.max(0, Math.ceil((Date.parse(until) - Date.now()) / DAY_MS))
}

/** All IANA zones that this browser knows, UTC among them. */
export function allTimeZones(): string[] {
  return [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])]
}

/** Current names of cities whose zones browsers still list under an older name. */
const currentNames: Readonly<Record<string, string>> = {
  'Africa/Asmera': 'Asmara',
  'America/Godthab': 'Nuuk',
  'Asia/Calcutta': 'Kolkata',
  'Asia/Katmandu': 'Kathmandu',
  'Asia/Rangoon': 'Yangon',
  'Asia/Saigon': 'Ho Chi Minh',
  'Atlantic/Faeroe': 'Faroe',
  'Europe/Kiev': 'Kyiv',
  'Pacific/Enderbury': 'Kanton',
  'Pacific/Ponape': 'Pohnpei',
  'Pacific/Truk': 'Chuuk',
}

/** The place that an IANA zone is named after: "Berlin" for Europe/Berlin, "UTC" for UTC. */
export function zonePlace(zone: string): string {
  return currentNames[zone] ?? (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ')
}

/** Local time of a zone in the format of a `datetime-local` field: "2026-11-22T18:00". */
export function toZonedField(moment: string | Date, zone: string): string {
  return new Date(wallClock(new Date(moment), zone)).toISOString().slice(0, 16)
}

/** ISO date of a moment in a zone: "2026-11-22". */
export function isoDayIn(moment: string | Date, zone: string): string {
  const parts = formatterOf(dayFormatters, zone, dateParts).formatToParts(new Date(moment))
  const digitsOf = (type: string, length: number) =>
    parts.find((part) => part.type === type)?.value.padStart(length, '0')
  return `${digitsOf('year', 4)}-${digitsOf('month', 2)}-${digitsOf('day', 2)}`
}

/** Moment of a `datetime-local` field's time in a zone; an invalid date for any other text. */
export function fromZonedField(field: string, zone: string): Date {
  const localTime = Date.parse(`${field}Z`)
  if (Number.isNaN(localTime)) return new Date(Number.NaN)
  // The offset of a nearby moment leads to the moment itself, whose offset differs around a clock change.
  const near = localTime - offsetMs(new Date(localTime), zone)
  return new Date(localTime - offsetMs(new Date(near), zone))
}

function offsetMs(moment: Date, zone: string): number {
  return wallClock(moment, zone) - Math.floor(moment.getTime() / 1000) * 1000
}

const dateParts = { calendar: 'iso8601', year: 'numeric', month: 'numeric', day: 'numeric' } as const
const clockParts = { ...dateParts, hourCycle: 'h23', hour: 'numeric', minute: 'numeric', second: 'numeric' } as const

/** Formatters by zone: creating one takes as long as formatting a thousand dates; a date alone takes half as long as one with a time. */
type Formatters = Map<string, Intl.DateTimeFormat>
const clockFormatters: Formatters = new Map()
const dayFormatters: Formatters = new Map()

function formatterOf(formatters: Formatters, timeZone: string, parts: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const formatter = formatters.get(timeZone) ?? new Intl.DateTimeFormat('en', { timeZone, ...parts })
  formatters.set(timeZone, formatter)
  return formatter
}

/** Local time of a zone in milliseconds, as if it were UTC. Reads the parts, because no locale formats ISO dates in every browser. */
function wallClock(moment: Date, timeZone: string): number {
  const parts = formatterOf(clockFormatters, timeZone, clockParts).formatToParts(moment)
  const numberOf = (type: string) => Number(parts.find((part) => part.type === type)?.value)
  return Date.UTC(
    numberOf('year'),
    numberOf('month') - 1,
    numberOf('day'),
    numberOf('hour'),
    numberOf('minute'),
    numberOf('second'),
  )
}
