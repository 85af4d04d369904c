import { useLocale } from '../i18n/i18n.ts'
import { useSettings } from '../session/settings.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const MEGABYTE = 1024 * 1024

/** A moment: ISO 8601 text from the API, or a date. */
type Moment = string | Date

/** Writes figures and moments the way a locale and a time zone do. */
export interface Format {
  /** "Nov 20, 2026". */
  date: (moment: Moment) => string
  /** "Jun 1 – Aug 31, 2026" of all days from the first moment until before the second. */
  days: (from: Moment, to: Moment) => string
  /** "12:34 PM". */
  time: (moment: Moment) => string
  /** "Nov 20, 2026, 12:34 PM". */
  dateTime: (moment: Moment) => string
  /** A time without a zone, such as 2024-07-14T09:28:00, as it stands. */
  wallClock: (local: string) => string
  /** "Nov 20, 2026", of the clock where something was taken; of the moment where that is not known. */
  shownDay: (when: { taken_local?: string | null; timestamp: Moment }) => string
  /** "5 minutes ago", "2 hours ago", "3 days ago", "in 4 days": minutes under 60, hours under 24, days otherwise. */
  relative: (moment: Moment, now?: Date) => string
  /** "1,234.5"; `digits` are those behind the point, none by default. */
  number: (value: number, digits?: number) => string
  /** "98.5%" of 98.5; one digit behind the point by default. */
  percent: (percent: number, digits?: number) => string
  /** "$1.20", "$0.0034" of US dollars. */
  dollars: (value: number) => string
  /** "0.8 s", "12 s", "2m 5s", "1h 2m" of seconds. */
  duration: (seconds: number) => string
  /** "1.5 MB" of bytes; the unit that fits. */
  bytes: (bytes: number) => string
  /** "2.34 MB" of bytes, always in megabytes. */
  megabytes: (bytes: number, digits?: number) => string
  /** "Chat, Upload, and Voice". */
  list: (words: readonly string[]) => string
}

/** Makes the formats of a locale and an IANA time zone. */
export function createFormat(locale: string, timeZone: string): Format {
  const date = once(() => new Intl.DateTimeFormat(locale, { timeZone, dateStyle: 'medium' }))
  const time = once(() => new Intl.DateTimeFormat(locale, { timeZone, timeStyle: 'short' }))
  const dateTime = once(() => new Intl.DateTimeFormat(locale, { timeZone, dateStyle: 'medium', timeStyle: 'short' }))
  const wallClock = once(
    () => new Intl.DateTimeFormat(locale, { timeZone: 'UTC', dateStyle: 'medium', timeStyle: 'short' }),
  )
  const wallDay = once(() => new Intl.DateTimeFormat(locale, { timeZone: 'UTC', dateStyle: 'medium' }))
  const relative = once(() => new Intl.RelativeTimeFormat(locale, { numeric: 'always' }))
  const now = once(() => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(0, 'second'))
  const list = once(() => new Intl.ListFormat(locale))

  const number = (value: number, digits = 0) =>
    new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value)

  return {
    date: (moment) => date().format(new Date(moment)),
    days: (from, to) => date().formatRange(new Date(from), new Date(new Date(to).getTime() - 1)),
    time: (moment) => time().format(new Date(moment)),
    wallClock: (local) => wallClock().format(new Date(`${local}Z`)),
    shownDay: ({ taken_local: local, timestamp }) =>
      local ? wallDay().format(new Date(`${local}Z`)) : date().format(new Date(timestamp)),
    dateTime: (moment) => dateTime().format(new Date(moment)),

    // what costs less than a cent is not nothing
    dollars: (value) =>
      new Intl.NumberFormat(locale, {
        style: 'currency',
        currency: 'USD',
        ...(value < 0.01 ? { minimumFractionDigits: 0, maximumSignificantDigits: 2 } : {}),
      }).format(value),

    relative(moment, at = new Date()) {
      const differenceMs = new Date(moment).getTime() - at.getTime()
      const distanceMs = Math.abs(differenceMs)
      if (distanceMs < MINUTE_MS) return now()
      if (distanceMs < HOUR_MS) return relative().format(Math.trunc(differenceMs / MINUTE_MS), 'minute')
      if (distanceMs < DAY_MS) return relative().format(Math.trunc(differenceMs / HOUR_MS), 'hour')
      return relative().format(Math.trunc(differenceMs / DAY_MS), 'day')
    },

    number,
    percent: (percent, digits = 1) =>
      new Intl.NumberFormat(locale, {
        style: 'percent',
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
      }).format(percent / 100),

    duration(seconds) {
      if (seconds < 10) return `${number(seconds, 1)} s`
      const whole = Math.round(seconds)
      if (whole < 60) return `${number(whole)} s`
      if (whole < 3600) return `${Math.floor(whole / 60)}m ${whole % 60}s`
      return `${number(Math.floor(whole / 3600))}h ${Math.floor((whole % 3600) / 60)}m`
    },

    bytes(bytes) {
      const units = ['B', 'kB', 'MB', 'GB', 'TB']
      const power = Math.min(Math.floor(Math.log(Math.max(bytes, 1)) / Math.log(1024)), units.length - 1)
      return `${number(bytes / 1024 ** power, power === 0 ? 0 : 1)} ${units[power]}`
    },
    megabytes: (bytes, digits = 2) => `${number(bytes / MEGABYTE, digits)} MB`,

    list: (words) => list().format(words),
  }
}

/** Makes something when it is first asked for: many screens need few of a language's formats, and each takes its time. */
function once<Value>(make: () => Value): () => Value {
  let cached: Value | undefined
  return () => {
    cached ??= make()
    return cached
  }
}

/** Cached formats by locale and time zone: every row of a list uses the same one. */
const formats = new Map<string, Format>()

function formatOf(locale: string, timeZone: string): Format {
  const name = `${locale} ${timeZone}`
  const format = formats.get(name) ?? createFormat(locale, timeZone)
  formats.set(name, format)
  return format
}

/** A place in a film or a recording: "1:05" of 65 seconds, "1:01:05" beyond an hour. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const pad = (part: number) => String(part).padStart(2, '0')
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60]
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(rest)}` : `${minutes}:${pad(rest)}`
}

/** The formats of the language that is shown, as the browser's region writes it, and the time zone of the settings, or another one. */
export function useFormat(zone?: string): Format {
  const locale = useLocale()
  const settings = useSettings()
  return formatOf(locale, zone ?? settings.timezone)
}
