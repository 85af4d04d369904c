import { useLocale } from '../i18n/i18n.ts'
import { useSettings } from '../session/settings.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const MEGABYTE = 1024 * 1024

/** A moment: ISO 8601 text from the API, or a date. */
type Moment = string | Date

/** Formats numbers and times for a locale and a time zone. */
export interface Format {
  /** "Nov 20, 2026". */
  date: (moment: Moment) => string
  /** "Jun 1 – Aug 31, 2026": `to` is exclusive. */
  days: (from: Moment, to: Moment) => string
  /** "12:34 PM". */
  time: (moment: Moment) => string
  /** "Nov 20, 2026, 12:34 PM". */
  dateTime: (moment: Moment) => string
  /** A local time without a zone, such as 2024-07-14T09:28:00, not converted. */
  localDateTime: (local: string) => string
  /** "Nov 20, 2026", in the local time of the place where something was taken; by the timestamp if that is unknown. */
  takenDay: (when: { taken_local?: string | null; timestamp: Moment }) => string
  /** "5 minutes ago", "2 hours ago", "3 days ago", "in 4 days": minutes under 60, hours under 24, days otherwise. */
  relative: (moment: Moment, now?: Date) => string
  /** "1,234.5"; `digits` after the decimal point, none by default. */
  number: (value: number, digits?: number) => string
  /** "98.5%" for 98.5; one digit after the decimal point by default. */
  percent: (percent: number, digits?: number) => string
  /** "$1.20", "$0.0034" for US dollars. */
  dollars: (value: number) => string
  /** "0.8 s", "12 s", "2m 5s", "1h 2m" for seconds. */
  duration: (seconds: number) => string
  /** "1.5 MB" for bytes, in the unit that fits. */
  bytes: (bytes: number) => string
  /** "2.34 MB" for bytes, always in megabytes. */
  megabytes: (bytes: number, digits?: number) => string
  /** "Chat, Upload, and Voice". */
  list: (words: readonly string[]) => string
}

/** @param timeZone an IANA name. */
export function createFormat(locale: string, timeZone: string): Format {
  const date = lazily(() => new Intl.DateTimeFormat(locale, { timeZone, dateStyle: 'medium' }))
  const time = lazily(() => new Intl.DateTimeFormat(locale, { timeZone, timeStyle: 'short' }))
  const dateTime = lazily(() => new Intl.DateTimeFormat(locale, { timeZone, dateStyle: 'medium', timeStyle: 'short' }))
  const wallClock = lazily(
    () => new Intl.DateTimeFormat(locale, { timeZone: 'UTC', dateStyle: 'medium', timeStyle: 'short' }),
  )
  const wallDay = lazily(() => new Intl.DateTimeFormat(locale, { timeZone: 'UTC', dateStyle: 'medium' }))
  const relative = lazily(() => new Intl.RelativeTimeFormat(locale, { numeric: 'always' }))
  const now = lazily(() => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(0, 'second'))
  const list = lazily(() => new Intl.ListFormat(locale))

  const number = (value: number, digits = 0) =>
    new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value)

  return {
    date: (moment) => date().format(new Date(moment)),
    days: (from, to) => date().formatRange(new Date(from), new Date(new Date(to).getTime() - 1)),
    time: (moment) => time().format(new Date(moment)),
    localDateTime: (local) => wallClock().format(new Date(`${local}Z`)),
    takenDay: ({ taken_local: local, timestamp }) =>
      local ? wallDay().format(new Date(`${local}Z`)) : date().format(new Date(timestamp)),
    dateTime: (moment) => dateTime().format(new Date(moment)),

    // amounts below a cent must not be shown as zero
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

/** Creates a value on first use: most screens need few of the formats, and each takes time to create. */
function lazily<Value>(make: () => Value): () => Value {
  let cached: Value | undefined
  return () => {
    cached ??= make()
    return cached
  }
}

/** Cached formats by locale and time zone, so that all rows of a list share one. */
const formats = new Map<string, Format>()

function formatOf(locale: string, timeZone: string): Format {
  const name = `${locale} ${timeZone}`
  const format = formats.get(name) ?? createFormat(locale, timeZone)
  formats.set(name, format)
  return format
}

/** Position in a video or recording: "1:05" for 65 seconds, "1:01:05" from an hour on. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const pad = (part: number) => String(part).padStart(2, '0')
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60]
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(rest)}` : `${minutes}:${pad(rest)}`
}

/** Formats for the displayed language with the browser's region; `zone` defaults to the time zone of the settings. */
export function useFormat(zone?: string): Format {
  const locale = useLocale()
  const settings = useSettings()
  return formatOf(locale, zone ?? settings.timezone)
}
