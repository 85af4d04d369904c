// Calendars (RFC 5545) and address books (RFC 6350, and vCard 2.1 as phones write it) as readable lines.

import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { decoderOf, quotedBytes } from '../text-decoder.ts'
import { type EventTimes, recurrence, timesOf, zoneOf } from './calendar-times.ts'

/** A line such as `item1.TEL;TYPE=CELL:+43 1 23`. */
interface Property {
  /** Group of related lines, such as `item1`; '' for none. */
  group: string
  /** In upper case, without its group. */
  name: string
  parameters: string
  value: string
}

const BEGINNING = /^\s*BEGIN:(VCALENDAR|VCARD)\b/i
export const isCalendar = (beginning: string): boolean => BEGINNING.test(beginning)

const CHARACTERS_AT_ONCE = 64 * 1024
/** End of a line that doesn't continue in the next one. */
const LINE_END = /(?<![=\r])(?:\r\n|\r(?!\n)|\n)(?![\r\n]{0,2}[ \t])/g

/** Lines of a calendar or an address book; null for any other text, and for a calendar without an entry. */
export async function linesOfCalendar(text: string): Promise<string | null> {
  const [, kind] = BEGINNING.exec(text) ?? []
  if (kind === undefined) return null
  const isAddressBook = kind.toUpperCase() === 'VCARD'
  const entries: string[] = []
  for (const entry of isAddressBook ? readContacts(text) : readEvents(text)) {
    if (entry === '') await yieldToEventLoop()
    else entries.push(entry)
  }
  if (entries.length > 0) return entries.join('\n\n')
  return isAddressBook ? text.split('\n').filter(createFileFilter()).join('\n') : null
}

export const eventsIn = (calendar: string) => [...readEvents(calendar)].filter(Boolean).join('\n\n') || calendar
export const contactsIn = (cards: string) =>
  [...readContacts(cards)].filter(Boolean).join('\n\n') ||
  cards
    .split(/\r\n?|\n/)
    .filter(createFileFilter())
    .join('\n')

/** Pieces of a text; those of a calendar or an address book come without its pictures and other files. */
export async function* withoutFiles(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let isFiltered: boolean | null = null
  const isShown = createFileFilter()
  /** Beginning of the current line until it's judged; a picture may be one line of megabytes. */
  let beginning = ''
  let isLineShown: boolean | null = null
  for await (const piece of pieces) {
    isFiltered ??= piece === '' ? null : isCalendar(piece)
    if (isFiltered !== true) {
      yield piece
      continue
    }
    let shown = ''
    for (let start = 0; start < piece.length; ) {
      const lineEnd = piece.indexOf('\n', start)
      const end = lineEnd < 0 ? piece.length : lineEnd + 1
      let part = piece.slice(start, end)
      start = end
      if (isLineShown === null) {
        beginning += part
        if (lineEnd < 0 && beginning.length <= MAX_JUDGED_CHARACTERS) break
        isLineShown = isShown(beginning.slice(0, MAX_JUDGED_CHARACTERS))
        part = beginning
        beginning = ''
      }
      if (isLineShown) shown += part
      if (lineEnd >= 0) isLineShown = null
    }
    yield shown
  }
  if (isShown(beginning)) yield beginning
}

/** A picture, a logo or a key, or a property in base64 or with a data URL. */
const FILE =
  /^(?:[\w-]+\.)?(?:(?:KEY|LOGO|PHOTO)[;:]|[\w-]+(?:;[^:\n]*)?(?:;(?:ENCODING=)?"?(?:B|BASE64)"?[;:]|:data:[\w.+-]+\/[\w.+-]+[;,]))/i
const MAX_JUDGED_CHARACTERS = 1_000

/** Filter of successive lines: true for a line that isn't part of a picture, a key or another file. */
function createFileFilter(): (line: string) => boolean {
  let isFile = false
  return (line) => {
    const isContinuation = /^(?:[ \t]|[\w+/=]*\r?\n?$)/.test(line)
    if (!isFile || !isContinuation) isFile = FILE.test(line)
    return !isFile
  }
}

/** Events and tasks as lines: title, time, place and details; '' after each piece of the text. */
function* readEvents(calendar: string): Generator<string> {
  let event: Record<string, string> = {}
  let times: EventTimes & Record<string, unknown> = {}
  let details = new Set<string>()
  // reminders are nested, with titles of their own
  let nestedDepth = 0
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
      nestedDepth = 0
    } else if (name === 'BEGIN') nestedDepth++
    else if (name === 'END' && isEntry) {
      const { SUMMARY, RRULE = '', STATUS = '', LOCATION, DESCRIPTION } = event
      const state = states.get(STATUS.trim().toUpperCase())
      const lines = [SUMMARY, timesOf(times), recurrence(RRULE), state, LOCATION, DESCRIPTION, ...details]
      yield lines.filter(Boolean).join('\n')
    } else if (name === 'END') nestedDepth--
    else if (nestedDepth === 0 && eventDetails.has(name)) details.add(eventDetail(property))
    else if (nestedDepth === 0 && timeNames.has(name)) times[name] ??= { value: value.trim(), zone: zoneOf(parameters) }
    else if (nestedDepth === 0) event[name] ??= unescapeValue(value)
  }
}

const timeNames = new Set(['DTSTART', 'DTEND', 'DUE', 'DURATION'])
/** States worth showing. */
const states = new Map([
  ['CANCELLED', 'Cancelled'],
  ['COMPLETED', 'Completed'],
  ['TENTATIVE', 'Tentative'],
])

/** Properties that an event may repeat. */
const eventDetails = new Set(['ORGANIZER', 'ATTENDEE', 'CONTACT', 'CATEGORIES', 'RESOURCES', 'COMMENT', 'URL'])

const CARETS: Record<string, string> = { n: ' ', "'": '"', '^': '^' }

/** Value of a property; for a person, the name with the address. */
function eventDetail({ parameters, value }: Property): string {
  const [, quotedName, plainName = ''] = /;CN=(?:"([^"]*)"|([^;]*))/i.exec(parameters) ?? []
  // Decodes the carets of RFC 6868; a line end becomes a blank, since a name is in one line.
  const name = (quotedName ?? plainName).replaceAll(/\^([n'^])/g, (_, sign: string) => CARETS[sign] ?? '').trim()
  const text = unescapeValue(value)
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
  ['X-SOCIALPROFILE', 'Profile'],
  ['BDAY', 'Birthday'],
  ['ANNIVERSARY', 'Anniversary'],
  ['X-ABDATE', 'Date'],
  ['X-ABRELATEDNAMES', 'Related'],
  ['NOTE', 'Note'],
]
/** Properties by the other names that some programs give them. */
const sameProperties: Record<string, string> = {
  RELATED: 'X-ABRELATEDNAMES',
  'X-SPOUSE': 'X-ABRELATEDNAMES',
  'X-EVOLUTION-SPOUSE': 'X-ABRELATEDNAMES',
  'X-ANNIVERSARY': 'ANNIVERSARY',
  'X-EVOLUTION-ANNIVERSARY': 'ANNIVERSARY',
}
const MESSENGER = /^X-(AIM|GADUGADU|GOOGLE-TALK|GROUPWISE|GTALK|ICQ|JABBER|MSN|QQ|SKYPE|YAHOO)(?:-USERNAME)?$/
const DAYS = new Set(['BDAY', 'ANNIVERSARY', 'X-ABDATE'])

const shownNames = new Set(['N', ...contactLines.map(([name]) => name)])

/** A displayed value, with its kind such as `work`; '' for none. */
interface ContactValue {
  group: string
  kind: string
  text: string
}

/** Contacts as lines, without pictures and keys; '' after each piece of the text. */
function* readContacts(cards: string): Generator<string> {
  let values = new Map<string, ContactValue[]>()
  let labels = new Map<string, string>()
  for (const property of propertiesIn(cards)) {
    if (property === null) {
      yield ''
      continue
    }
    const [, messenger] = MESSENGER.exec(property.name) ?? []
    const name = messenger === undefined ? (sameProperties[property.name] ?? property.name) : 'IMPP'
    if (name === 'BEGIN') {
      values = new Map()
      labels = new Map()
    } else if (name === 'X-ABLABEL') labels.set(property.group, property.value.replace(/^_\$!<(.*)>!\$_$/, '$1').trim())
    else if (shownNames.has(name)) {
      const sameNamed = values.get(name) ?? []
      values.set(name, sameNamed)
      const kind = messenger?.toLowerCase() ?? (/SPOUSE$/.test(property.name) ? 'spouse' : kindOf(property.parameters))
      sameNamed.push({ group: property.group, kind, text: shownValue({ ...property, name }) })
    } else if (name === 'END') {
      const valuesOf = (one: string) => values.get(one) ?? []
      const [fullName] = valuesOf('FN').length > 0 ? [] : valuesOf('N')
      const lines = contactLines.flatMap(([one, label]) =>
        valuesOf(one).flatMap(({ group, kind, text }) => {
          if (text === '') return []
          if (label === '') return [text]
          const ownLabel = labels.get(group) || kind
          // dates and related people are labelled by their kind alone
          const isName = /^X-AB/.test(one) && ownLabel !== ''
          const title = isName
            ? `${ownLabel[0]?.toUpperCase()}${ownLabel.slice(1)}`
            : ownLabel === ''
              ? label
              : `${label} (${ownLabel})`
          return [`${title}: ${text}`]
        }),
      )
      yield [fullName?.text, ...new Set(lines)].filter(Boolean).join('\n')
    }
  }
}

const kinds = new Set([
  ...['cell', 'fax', 'home', 'pager', 'work', 'spouse', 'child', 'parent', 'sibling', 'friend', 'colleague'],
  ...['twitter', 'facebook', 'linkedin'],
])

/** Kinds among the parameters of a property, such as `work, fax`. */
function kindOf(parameters: string): string {
  const types = parameters.split(/[;,]/).map((one) => one.replaceAll(/^type=|"/gi, '').toLowerCase())
  const shown = new Set(types.filter((type) => kinds.has(type)))
  return [...shown].join(', ').replace('cell', 'mobile')
}

/** Parts of a value, such as a street and its town, in one line. */
function shownValue({ name, parameters, value }: Property): string {
  const parts = ['N', 'ADR', 'ORG'].includes(name) ? value.split(/(?<!\\);/) : [value]
  const shown = parts.map((part) => unescapeValue(part).trim())
  if (name === 'N') {
    const [lastName, firstName, additional, prefix, suffix] = shown
    return [prefix, firstName, additional, lastName, suffix].filter(Boolean).join(' ')
  }
  const text = shown
    .filter(Boolean)
    .join(', ')
    .replace(/^(?:tel|mailto|xmpp|sip):/i, '')
  if (/^urn:uuid:/i.test(text)) return ''
  return DAYS.has(name) ? dayOf(text, /OMIT-YEAR=(\d{4})/i.exec(parameters)?.[1]) : text
}

/** 19800503 → 1980-05-03, --0503 → 3 May; other values as they are. @param omitted placeholder for an unknown year. */
function dayOf(text: string, omitted: string | undefined): string {
  const [, year, month = '', day = ''] = /^(?:(\d{4})-?|--)(\d\d)-?(\d\d)(?:T.*)?$/.exec(text) ?? []
  if (month === '') return text
  if (year !== undefined && year !== omitted) return `${year}-${month}-${day}`
  const date = new Date(Date.UTC(2000, Number(month) - 1, Number(day)))
  return date.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' })
}

/** Properties of a text; null after each piece of it, for the caller to yield. */
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
    // programs that take \r\n for two line ends leave empty lines
    .replaceAll(/(?<!\n)\n{1,3}[ \t]/g, '')
    .split('\n')
  for (let index = 0; index < lines.length; index++) {
    const [, group = '', name = '', parameters = '', rawValue = ''] =
      /^(?:([\w-]+)\.)?([A-Z-]+)((?:;(?:"[^"]*"|[^":])*)?):(.*)$/is.exec(lines[index] ?? '') ?? []
    if (name === '') continue
    let value = rawValue
    if (/quoted-printable/i.test(parameters)) {
      // Quoted-printable lines continue after an equals sign.
      const parts = [value]
      while (parts.at(-1)?.endsWith('=') && index + 1 < lines.length) parts.push((lines[++index] ?? '').trimStart())
      value = parts.map((part) => part.replace(/=$/, '')).join('')
      value = decoderOf(/charset=([\w-]+)/i.exec(parameters)?.[1] ?? 'utf-8').decode(quotedBytes(value))
    }
    yield { group, name: name.toUpperCase(), parameters, value }
  }
}

const unescapeValue = (value: string) => value.replaceAll(/\\n/gi, '\n').replaceAll(/\\(.)/gs, '$1')
