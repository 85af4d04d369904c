// Calendars (RFC 5545) and address books (RFC 6350, and vCard 2.1 as phones write it) as lines to read.

import { setImmediate as giveWay } from 'node:timers/promises'
import { decoderOf, quotedBytes } from '../text-decoder.ts'
import { calendarTime, type EventTimes, recurrence, timesOf, zoneOf } from './calendar-times.ts'

/** A line such as `TEL;TYPE=CELL:+43 1 23`. */
interface Property {
  /** In capitals, without its group. */
  name: string
  parameters: string
  value: string
}

const BEGINNING = /^\s*BEGIN:(VCALENDAR|VCARD)\b/i
export const isCalendar = (beginning: string): boolean => BEGINNING.test(beginning)

const CHARACTERS_AT_ONCE = 64 * 1024
/** End of a line that doesn't continue in the next one. */
const LINE_END = /(?<![=\r])(?:\r\n|\r(?!\n)|\n)(?![\r\n]{0,2}[ \t])/g

/** Lines of a calendar or an address book; null for any other text, and for one without an entry. */
export async function linesOfCalendar(text: string): Promise<string | null> {
  const [, kind] = BEGINNING.exec(text) ?? []
  if (kind === undefined) return null
  const entries: string[] = []
  for (const entry of kind.toUpperCase() === 'VCARD' ? readContacts(text) : readEvents(text)) {
    if (entry === '') await giveWay()
    else entries.push(entry)
  }
  return entries.length === 0 ? null : entries.join('\n\n')
}

export const eventsIn = (calendar: string) => [...readEvents(calendar)].filter(Boolean).join('\n\n') || calendar
export const contactsIn = (cards: string) => [...readContacts(cards)].filter(Boolean).join('\n\n') || withoutData(cards)

/** Cards as they are, without the lines of their pictures and keys. */
const withoutData = (cards: string) =>
  cards
    .split(LINE_END)
    .filter((line) => !/^(?:[\w-]+\.)?(?:PHOTO|KEY|LOGO)[;:]/i.test(line))
    .join('\n')

/** Events and tasks as lines: the title, when and where; empty after each piece of the text. */
function* readEvents(calendar: string): Generator<string> {
  let event: Record<string, string> = {}
  let times: EventTimes & Record<string, unknown> = {}
  let details = new Set<string>()
  // reminders have titles of their own
  let inside = 0
  for (const property of propertiesIn(calendar)) {
    if (property === null) {
      yield ''
      continue
    }
    const { name, parameters, value } = property
    const isEntry = /^V(?:EVENT|TODO|JOURNAL)$/i.test(value)
    if (name === 'BEGIN' && isEntry) {
      event = {}
      times = {}
      details = new Set()
      inside = 0
    } else if (name === 'BEGIN') inside++
    else if (name === 'END' && isEntry) {
      const { SUMMARY, RRULE = '', STATUS = '', LOCATION, DESCRIPTION } = event
      const state = states[STATUS.trim().toUpperCase()]
      const lines = [SUMMARY, timesOf(times), recurrence(RRULE), state, LOCATION, DESCRIPTION, ...details]
      yield lines.filter(Boolean).join('\n')
    } else if (name === 'END') inside--
    else if (inside === 0 && eventDetails.has(name)) details.add(eventDetail(property))
    else if (inside === 0 && timeNames.has(name)) times[name] ??= { value: value.trim(), zone: zoneOf(parameters) }
    else if (inside === 0) event[name] ??= unescaped(value)
  }
}

const timeNames = new Set(['DTSTART', 'DTEND', 'DUE', 'DURATION'])
/** States that aren't as expected. */
const states: Record<string, string> = { CANCELLED: 'Cancelled', COMPLETED: 'Completed', TENTATIVE: 'Tentative' }

/** Properties that an event may have several of. */
const eventDetails = new Set(['ORGANIZER', 'ATTENDEE', 'CONTACT', 'CATEGORIES', 'RESOURCES', 'COMMENT', 'URL'])

const CARETS: Record<string, string> = { n: ' ', "'": '"', '^': '^' }

/** Value of a property; for a person, the name with the address. */
function eventDetail({ parameters, value }: Property): string {
  const [, quotedName, plainName = ''] = /;CN=(?:"([^"]*)"|([^;]*))/i.exec(parameters) ?? []
  // RFC 6868; a line end is a blank, as a name is in one line
  const name = (quotedName ?? plainName).replaceAll(/\^([n'^])/g, (_, sign: string) => CARETS[sign] ?? '').trim()
  const text = unescaped(value)
    .replace(/^mailto:/i, '')
    .trim()
  return name === '' || name === text ? text : `${name} <${text}>`
}

/** Properties shown of a contact, in this order. */
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

const shownNames = new Set(['N', ...contactLines.map(([name]) => name)])

/** Contacts as lines, without pictures and keys; empty after each piece of the text. */
function* readContacts(cards: string): Generator<string> {
  let values = new Map<string, string[]>()
  for (const property of propertiesIn(cards)) {
    if (property === null) yield ''
    else if (property.name === 'BEGIN') values = new Map()
    else if (shownNames.has(property.name)) {
      const known = values.get(property.name)
      if (known) known.push(shownValue(property))
      else values.set(property.name, [shownValue(property)])
    } else if (property.name === 'END') {
      const valuesOf = (name: string) => values.get(name) ?? []
      const [names = ''] = valuesOf('FN').length > 0 ? [] : valuesOf('N')
      const lines = contactLines.flatMap(([name, label]) =>
        valuesOf(name).flatMap((value) => (value === '' ? [] : [label === '' ? value : `${label}: ${value}`])),
      )
      yield [names, ...new Set(lines)].filter(Boolean).join('\n')
    }
  }
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

/** Properties of a text; null after each piece of it, where others may have their turn. */
function* propertiesIn(text: string): Generator<Property | null> {
  for (let start = 0; start < text.length; ) {
    LINE_END.lastIndex = start + CHARACTERS_AT_ONCE
    const end = LINE_END.exec(text) === null ? text.length : LINE_END.lastIndex
    yield* propertiesOf(text.slice(start, end))
    yield null
    start = end
  }
}

function* propertiesOf(text: string): Generator<Property> {
  const lines = text
    .replaceAll(/\r\n?/g, '\n')
    // programs that take \r\n for two ends of a line leave empty ones
    .replaceAll(/(?<!\n)\n{1,3}[ \t]/g, '')
    .split('\n')
  for (let index = 0; index < lines.length; index++) {
    const [, name = '', parameters = '', rawValue = ''] =
      /^(?:[\w-]+\.)?([A-Z-]+)((?:;(?:"[^"]*"|[^":])*)?):(.*)$/is.exec(lines[index] ?? '') ?? []
    if (name === '') continue
    let value = rawValue
    if (/quoted-printable/i.test(parameters)) {
      // its lines go on behind an equals sign
      const parts = [value]
      while (parts.at(-1)?.endsWith('=') && index + 1 < lines.length) parts.push((lines[++index] ?? '').trimStart())
      value = parts.map((part) => part.replace(/=$/, '')).join('')
      value = decoderOf(/charset=([\w-]+)/i.exec(parameters)?.[1] ?? 'utf-8').decode(quotedBytes(value))
    }
    yield { name: name.toUpperCase(), parameters, value }
  }
}

const unescaped = (value: string) => value.replaceAll(/\\n/gi, '\n').replaceAll(/\\(.)/gs, '$1')
