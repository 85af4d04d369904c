import lookUpTimeZone from '@photostructure/tz-lookup'
import { offsetAt } from './time-zone-offset.ts'

/** Degrees. */
export interface Coordinates {
  latitude: number
  longitude: number
}

/** The time at which a picture or recording was taken. */
export interface TakenTime {
  /** The moment; if the zone is unknown, the local time as if it were UTC. */
  at: Date
  /** Local time at the place, such as 2024-07-14T09:28:00; never converted. */
  local: string
}

/** The local time that a text states, in milliseconds as if it were UTC, and its UTC offset; null when not stated. */
interface Clock {
  clockMs: number
  offsetMs: number | null
}

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
/** Earliest valid time: about that of the first photograph. */
const EARLIEST_MS = Date.UTC(1826, 0)
/** The widest offset in use is UTC+14. */
const MAX_OFFSET_MINUTES = 14 * 60
/** Epochs that unset clocks start from: QuickTime, Unix. */
const clockStarts = [Date.UTC(1904, 0), Date.UTC(1970, 0)]
/** Epoch of FAT file systems. */
const DOS_START_MS = Date.UTC(1980, 0)
/** Hour for texts that only state the day, so that no time zone turns it into another day. */
const NOON = '12'

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
/** EXIF, ISO 8601 and IPTC: separators vary, seconds, fractions and the zone may be missing. */
const NUMERIC_TIME =
  /^\s*(\d{4})([-:/. ]?)(\d{2})\2(\d{2})(?:[T\s]+(\d{2})[:.-]?(\d{2})(?:[:.-]?(\d{2})(?:[.,]\d+)?)?\s*(.*))?$/i
/** RFC 1123, as PNG recommends: "Thu, 3 Nov 2022 18:45:12 GMT". */
const NAMED_TIME =
  /^\s*(?:[a-z]{3},?\s+)?(\d{1,2})\s+([a-z]{3})[a-z]*\.?\s+(\d{4})\s+(\d{2}):(\d{2})(?::(\d{2}))?\s*(.*)$/i

/**
 * Reads a time as cameras and programs write it; null for blanks, zeros, invalid dates, and dates in the future or before
 * photography. Without a zone it's the local time at `place`, or at an unknown place.
 * @param offset from a separate field, such as +02:00; an offset in the text takes precedence.
 */
export function takenTimeOf(text: string, offset = '', place: Coordinates | null = null): TakenTime | null {
  const clock = clockOf(text)
  if (clock === null) return null
  return resolve({ ...clock, offsetMs: clock.offsetMs ?? offsetOf(offset) }, place)
}

/** Reads a UTC time, and converts it to the local time of its place, if known. Null in the same cases as takenTimeOf. */
export function takenTimeOfUtc(text: string, place: Coordinates | null): TakenTime | null {
  const clock = clockOf(text)
  if (clock === null) return null
  const utcMs = clock.clockMs - (clock.offsetMs ?? 0)
  return resolve({ clockMs: utcMs + zoneOffset(utcMs, place), offsetMs: zoneOffset(utcMs, place) }, place)
}

const NAME_PREFIX = 'IMG|VID|AUD|PTT|PXL|REC|DSC|WIN|MOV|P|\\b'
const DAY_IN_NAME = `((?:19|20)\\d{2})([-_.]?)(\\d{2})\\2(\\d{2})`
const TIME_IN_NAME = `(?:[-_ T.,]{0,3}|,? at |,? um |,? à |,? a la(?:s|\\(s\\)) )(\\d{1,2})([-_.:]?)(\\d{2})\\6(\\d{2})(?:[\\s_.-]{0,3}([ap])\\.?\\s?m\\b)?`
const NAME_TIME = new RegExp(`(?:${NAME_PREFIX}|(?<=[^0-9A-Za-z]))${DAY_IN_NAME}(?:${TIME_IN_NAME})?`, 'i')
/** File names of Facebook, WeChat and Android apps: milliseconds since 1970. */
const EPOCH_NAME = /^(?:FB_IMG_|mmexport|wx_camera_|)(1\d{12})(?!\d)/i
/** Google's cameras write UTC into names; all others write the local time. */
const UTC_NAME = /^PXL_/i

/** Time that phones and messengers write into file names; null when there is none. Used when the file itself states no time. */
export function takenTimeOfName(filename: string, place: Coordinates | null = null): TakenTime | null {
  const epochMs = Number(EPOCH_NAME.exec(filename)?.[1] ?? Number.NaN)
  if (Number.isFinite(epochMs)) return takenTimeOfUtc(new Date(epochMs).toISOString(), place)
  const match = NAME_TIME.exec(filename.normalize('NFC'))
  if (match === null) return null
  const [, year, , month, day, hour = NOON, , minute = '00', second = '00', meridiem] = match
  const text = `${year}-${month}-${day}T${hourOf(hour, meridiem)}:${minute}:${second}`
  return UTC_NAME.test(filename) ? takenTimeOfUtc(text, place) : takenTimeOf(text, '', place)
}

/** Moment of a local time. @param offsetMs UTC offset to use without a place. */
export function momentOfClock(clockMs: number, place: Coordinates | null, offsetMs = 0): Date {
  if (place === null) return new Date(clockMs - offsetMs)
  // the offset is looked up twice, at an approximate and then at the exact moment, for days with a clock change
  return new Date(clockMs - zoneOffset(clockMs - zoneOffset(clockMs, place), place))
}

/** Valid coordinates; null for invalid ones, and for 0,0, which GPS receivers without a fix report. */
export function coordinatesOf(latitude?: number | null, longitude?: number | null): Coordinates | null {
  if (typeof latitude !== 'number' || typeof longitude !== 'number') return null
  const isOnEarth = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180
  return isOnEarth && (latitude !== 0 || longitude !== 0) ? { latitude, longitude } : null
}

function hourOf(hour: string, meridiem: string | undefined): string {
  if (meridiem === undefined || Number(hour) > 12) return hour.padStart(2, '0')
  return String((Number(hour) % 12) + (meridiem.toLowerCase() === 'p' ? 12 : 0)).padStart(2, '0')
}

function clockOf(text: string): Clock | null {
  const clean = text.replaceAll('\0', '').trim()
  const numeric = NUMERIC_TIME.exec(clean)
  if (numeric !== null) {
    const [, year, , month, day, hour = NOON, minute = '00', second = '00', zone = ''] = numeric
    return clockFrom([year, month, day, hour, minute, second].map(Number), zone)
  }
  const match = NAMED_TIME.exec(clean)
  if (match === null) return null
  const [, day, month = '', year, hour, minute, second = '00', zone = ''] = match
  const monthNumber = MONTHS.indexOf(month.toLowerCase()) + 1
  return clockFrom([Number(year), monthNumber, ...[day, hour, minute, second].map(Number)], zone)
}

function clockFrom([year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0]: number[], zone: string) {
  const clockMs = Date.UTC(year, month - 1, day, hour, minute, second)
  const date = new Date(clockMs)
  const isReal = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return isReal && hour < 24 && minute < 60 && second < 60 ? { clockMs, offsetMs: offsetOf(zone) } : null
}

/** "+02:00", "+0200", "+2", "Z" or "GMT"; null for anything else. */
function offsetOf(text: string): number | null {
  const clean = text.replaceAll('\0', '').trim()
  if (/^(?:Z|UTC|GMT)$/i.test(clean)) return 0
  const [, sign, hours, minutes = '0'] = /^(?:UTC|GMT)?([-+−])(\d{1,2}):?(\d{2})?$/i.exec(clean) ?? []
  if (hours === undefined) return null
  const total = Number(hours) * 60 + Number(minutes)
  if (total > MAX_OFFSET_MINUTES || Number(minutes) > 59) return null
  return (sign === '+' ? total : -total) * MINUTE_MS
}

function resolve({ clockMs, offsetMs }: Clock, place: Coordinates | null): TakenTime | null {
  const isUnset = clockStarts.some((startMs) => isAtStart(clockMs - startMs)) || clockMs === DOS_START_MS
  const at = momentOfClock(clockMs, offsetMs === null ? place : null, offsetMs ?? 0)
  if (isUnset || clockMs < EARLIEST_MS || at.getTime() > Date.now() + DAY_MS) return null
  return { at, local: new Date(clockMs).toISOString().slice(0, 19) }
}

/** True on the day of an epoch, and at a full hour of the evening before, which is the epoch in an American time zone. */
function isAtStart(sinceStartMs: number): boolean {
  if (sinceStartMs >= 0) return sinceStartMs < DAY_MS
  return sinceStartMs > -DAY_MS / 2 && sinceStartMs % HOUR_MS === 0
}

function zoneOffset(utcMs: number, place: Coordinates | null): number {
  if (place === null) return 0
  return offsetAt(new Date(utcMs), lookUpTimeZone(place.latitude, place.longitude))
}
