// Times and recurrences of events as readable lines (RFC 5545).

/** A value with the time zone of its parameters, such as Europe/Berlin; '' for none. */
interface Timed {
  value: string
  zone: string
}

/** Properties of an event that state its time. */
export interface EventTimes {
  DTSTART?: Timed
  DTEND?: Timed
  DUE?: Timed
  DURATION?: Timed
}

const TIME = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?$/
const DURATION = /^\+?P(?:(\d{1,4})W)?(?:(\d{1,4})D)?(?:T(?:(\d{1,4})H)?(?:(\d{1,5})M)?(?:\d+S)?)?$/

/** 20240305T090000Z → 2024-03-05 09:00 UTC */
export function calendarTime(text: string): string {
  const [, year, month, day, hour, minute, zone] = TIME.exec(text) ?? []
  if (year === undefined) return text
  return `${year}-${month}-${day}${hour === undefined ? '' : ` ${hour}:${minute}${zone ? ' UTC' : ''}`}`
}

/** Time zone in the parameters of a property, without the name of the program that defined it. */
export function zoneOf(parameters: string): string {
  const [, quoted, plain = ''] = /;TZID=(?:"([^"]*)"|([^;]*))/i.exec(parameters) ?? []
  return (quoted ?? plain).trim().replace(/^\/(?:[^/]*\.[^/]*\/)?(?:\d[^/]*\/|Tzfile\/)?/, '')
}

/** Start and end of an event in one line; a common zone is stated once. */
export function timesOf({ DTSTART: start, DTEND, DUE, DURATION: duration }: EventTimes): string {
  const due = DTEND === undefined ? DUE : { ...DTEND, value: lastDayOf(DTEND.value, start?.value ?? '') }
  const end = due ?? (start && duration && endOf(start, duration.value))
  const [from, to] = [start, end].map((time) => ({
    time: calendarTime(time?.value ?? ''),
    // UTC and whole days are the same everywhere
    zone: time && /T\d{6}$/.test(time.value) ? time.zone : '',
  }))
  const times = [...new Set([from, to].map((one) => one?.time))].filter(Boolean)
  const isOneZone = from?.zone === to?.zone || (times.length === 1 && !(from?.zone && to?.zone))
  if (isOneZone) return [times.join(' – '), from?.zone || to?.zone].filter(Boolean).join(' ')
  return [from, to]
    .map((one) => [one?.time, one?.zone].filter(Boolean).join(' '))
    .filter(Boolean)
    .join(' – ')
}

/** End of an event; for whole days, the last one, as calendars state the day after it (RFC 5545, 3.6.1). */
function lastDayOf(end: string, start: string): string {
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)$/.exec(end) ?? []
  if (year === undefined) return end
  const lastDay = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day) - 1))
  const text = lastDay.toISOString().slice(0, 10).replaceAll('-', '')
  return text < start ? start : text
}

function endOf(start: Timed, duration: string): Timed | undefined {
  const [, ...numbers] = TIME.exec(start.value) ?? []
  const [, weeks = 0, days = 0, hours = 0, minutes = 0] = (DURATION.exec(duration) ?? []).map((one) => Number(one ?? 0))
  const lengthMinutes = ((weeks * 7 + days) * 24 + hours) * 60 + minutes
  if (numbers.length === 0 || lengthMinutes === 0) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = numbers.map((one) => Number(one ?? 0))
  const end = new Date(Date.UTC(year, month - 1, day, hour, minute + lengthMinutes))
  if (Number.isNaN(end.getTime())) return undefined
  const text = end.toISOString().replaceAll(/[-:]|\.\d+Z$/g, '')
  const isDay = numbers[3] === undefined
  return { ...start, value: isDay ? lastDayOf(text.slice(0, 8), start.value) : `${text}${numbers[5] ?? ''}` }
}

const PERIODS: Record<string, string> = {
  ...{ HOURLY: 'hour', DAILY: 'day', WEEKLY: 'week', MONTHLY: 'month', YEARLY: 'year' },
}
const DAYS: Record<string, string> = {
  ...{ MO: 'Monday', TU: 'Tuesday', WE: 'Wednesday', TH: 'Thursday', FR: 'Friday', SA: 'Saturday', SU: 'Sunday' },
}
const ORDINALS: Record<string, string> = {
  '': '',
  '-1': 'last ',
  '1': '1st ',
  '2': '2nd ',
  '3': '3rd ',
  '4': '4th ',
  '5': '5th ',
}

/** FREQ=WEEKLY;BYDAY=TU;UNTIL=20240601 → Repeats every week on Tuesday until 2024-06-01; '' for rules that aren't known. */
export function recurrence(rule: string): string {
  const parts = new Map(rule.split(';').map((part) => part.toUpperCase().split('=', 2) as [string, string | undefined]))
  const period = PERIODS[parts.get('FREQ') ?? '']
  if (period === undefined) return ''
  const interval = Number(parts.get('INTERVAL') ?? 1)
  const days = daysOf(parts.get('BYDAY') ?? '', parts.get('BYSETPOS') ?? '')
  const [count, until] = [Number(parts.get('COUNT') ?? 0), parts.get('UNTIL')]
  return [
    interval > 1 ? `Repeats every ${interval} ${period}s` : `Repeats every ${period}`,
    days.length > 0 ? `on ${days.join(', ')}` : '',
    count > 0 ? `${count} times` : '',
    until ? `until ${calendarTime(until)}` : '',
  ]
    .filter(Boolean)
    .join(' ')
}

/** Days with their ordinals; empty when any day is unknown, because a rule with only the others would be wrong. */
function daysOf(byDay: string, position: string): string[] {
  const days = byDay.split(',')
  if (position !== '' && days.length > 1) return []
  const names = days.flatMap((one) => {
    const [, number = '', day = ''] = /^\+?(-?\d*)([A-Z]{2})$/.exec(position + one.trim()) ?? []
    const [ordinal, name] = [ORDINALS[number], DAYS[day]]
    return ordinal === undefined || name === undefined ? [] : [ordinal + name]
  })
  return names.length === days.length ? names : []
}
