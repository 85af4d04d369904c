// Calendars (RFC 5545) and address books (RFC 6350, and vCard 2.1 as phones write it) as lines to read.

import { setImmediate as giveWay } from 'node:timers/promises'

/** A line such as `TEL;TYPE=CELL:+43 1 23`. */
interface Property {
  /** In capitals, without its group. */
  name: string
  parameters: string
  value: string
}

const BEGINNING = /^\s*BEGIN:(VCALENDAR|VCARD)\b/i
export const isCalendar = (beginning: string): boolean => BEGINNING.test(beginning)

const BYTES_AT_ONCE = 64 * 1024
/** Longer entries are read in pieces. */
const LONGEST_ENTRY = 256 * 1024
const ENTRY_END = /\nEND:V(?:EVENT|TODO|JOURNAL|CARD)\b.*/gi

/** Lines of a calendar or an address book; null for any other text. */
export async function linesOfCalendar(text: string): Promise<string | null> {
  const [, kind] = BEGINNING.exec(text) ?? []
  if (kind === undefined) return null
  const read = kind.toUpperCase() === 'VCARD' ? contactsIn : eventsIn
  const parts: string[] = []
  for (let start = 0; start < text.length; ) {
    const piece = text.slice(start, start + LONGEST_ENTRY)
    ENTRY_END.lastIndex = BYTES_AT_ONCE
    const end = ENTRY_END.exec(piece)
    const length = end === null ? piece.length : end.index + end[0].length
    parts.push(read(piece.slice(0, length)))
    start += length
    await giveWay()
  }
  return parts.filter(Boolean).join('\n\n')
}

/** Events and tasks as lines: the title, when and where. */
export function eventsIn(calendar: string): string {
  const events: string[] = []
  let event: Record<string, string> = {}
  // reminders have titles of their own
  let inside = 0
  for (const { name, value } of propertiesIn(calendar)) {
    const isEntry = /^V(?:EVENT|TODO|JOURNAL)$/i.test(value)
    if (name === 'BEGIN' && isEntry) {
      event = {}
      inside = 0
    } else if (name === 'BEGIN') inside++
    else if (name === 'END' && isEntry) {
      const { DTSTART: start = '', DTEND: end, DUE: due = '' } = event
      const times = new Set([start, end === undefined ? due : lastDayOf(end, start)].map(calendarTime))
      const details = [event.SUMMARY, [...times].filter(Boolean).join(' – '), event.LOCATION, event.DESCRIPTION]
      events.push(details.filter(Boolean).join('\n'))
    } else if (name === 'END') inside--
    else if (inside === 0) event[name] ??= unescaped(value)
  }
  return events.join('\n\n')
}

/** The end of an event; of whole days, the last one, as a calendar states the day after it (RFC 5545, 3.6.1). */
function lastDayOf(end: string, start: string): string {
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)$/.exec(end) ?? []
  if (year === undefined) return end
  const lastDay = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day) - 1))
  const text = lastDay.toISOString().slice(0, 10).replaceAll('-', '')
  return text < start ? start : text
}

/** 20240305T090000Z → 2024-03-05 09:00 UTC */
function calendarTime(text: string): string {
  const [, year, month, day, hour, minute, zone] = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?$/.exec(text) ?? []
  if (year === undefined) return text
  return `${year}-${month}-${day}${hour === undefined ? '' : ` ${hour}:${minute}${zone ? ' UTC' : ''}`}`
}

/** What is shown of a contact, in this order. */
const contactLines: [name: string, label: string][] = [
  ...(['FN', 'NICKNAME', 'TITLE', 'ROLE', 'ORG'] as const).map((name): [string, string] => [name, '']),
  ['TEL', 'Phone'],
  ['EMAIL', 'Mail'],
  ['IMPP', 'Messenger'],
  ['ADR', 'Address'],
  ['URL', 'Page'],
  ['BDAY', 'Birthday'],
  ['ANNIVERSARY', 'Anniversary'],
  ['NOTE', 'Note'],
]

/** Contacts as lines; pictures and keys are left out. */
export function contactsIn(cards: string): string {
  const contacts: string[] = []
  let properties: Property[] = []
  for (const property of propertiesIn(cards)) {
    if (property.name === 'BEGIN') properties = []
    else if (property.name !== 'END') properties.push(property)
    else {
      const valuesOf = (name: string) => properties.filter((one) => one.name === name).map(shownValue)
      const [names = ''] = valuesOf('FN').length > 0 ? [] : valuesOf('N')
      const lines = contactLines.flatMap(([name, label]) =>
        valuesOf(name).flatMap((value) => (value === '' ? [] : [label === '' ? value : `${label}: ${value}`])),
      )
      contacts.push([names, ...new Set(lines)].filter(Boolean).join('\n'))
    }
  }
  return contacts.join('\n\n')
}

/** Parts of a value, such as a street and its town, in one line. */
function shownValue({ name, value }: Property): string {
  const parts = ['N', 'ADR', 'ORG'].includes(name) ? value.split(/(?<!\\);/) : [value]
  const shown = parts.map((part) => unescaped(part).trim()).filter(Boolean)
  // family names come first
  if (name === 'N') return [...shown.slice(1, 2), ...shown.slice(0, 1), ...shown.slice(2)].join(' ')
  const text = shown.join(', ').replace(/^(?:tel|mailto|xmpp|sip):/i, '')
  return name === 'BDAY' ? calendarTime(text) : text
}

function* propertiesIn(text: string): Generator<Property> {
  const lines = text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/\n[ \t]/g, '')
    .split('\n')
  for (let index = 0; index < lines.length; index++) {
    const [, name = '', parameters = '', rawValue = ''] =
      /^(?:[\w-]+\.)?([A-Z-]+)((?:;(?:"[^"]*"|[^":])*)?):(.*)$/i.exec(lines[index] ?? '') ?? []
    if (name === '') continue
    let value = rawValue
    if (/quoted-printable/i.test(parameters)) {
      // its lines go on behind an equals sign
      const parts = [value]
      while (parts.at(-1)?.endsWith('=') && index + 1 < lines.length) parts.push((lines[++index] ?? '').trimStart())
      value = parts.map((part) => part.replace(/=$/, '')).join('')
      value = quotedText(value, /charset=([\w-]+)/i.exec(parameters)?.[1] ?? 'utf-8')
    }
    yield { name: name.toUpperCase(), parameters, value }
  }
}

function quotedText(text: string, charset: string): string {
  const bytes = text.replaceAll(/=([\da-f]{2})/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  )
  try {
    return new TextDecoder(charset).decode(Buffer.from(bytes, 'latin1'))
  } catch {
    return text
  }
}

const unescaped = (value: string) => value.replaceAll(/\\n/gi, '\n').replaceAll(/\\(.)/g, '$1')
