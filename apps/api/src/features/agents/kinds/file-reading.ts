import type { MediaSort, MediaType } from '@mira/shared'
import { languages } from '@mira/shared'
import { DateTime } from 'luxon'
import type { AgentCaller } from '../agent-kind.ts'
import { plainText } from '../plain-words.ts'
import {
  listWords,
  numberWords,
  ofWords,
  ownWords,
  relativeDays,
  seekWords,
  sortWords,
  tagPattern,
  typeWords,
  wishWords,
} from './file-words.ts'

/** A question about a user's items. */
export interface FileQuestion {
  wish: 'size' | 'count' | 'find' | 'list'
  /** Null for any. */
  type: MediaType | null
  /** True when it names its subject: pictures, files, the memory. */
  isNamed: boolean
  /** Only PDFs are meant. */
  isPdf: boolean
  topic: string | null
  tag: string | null
  /** The first moment, and the first one after it. */
  days: { from: Date; to: Date } | null
  sort: MediaSort
  count: number
  /** True when it refers to the user's own items. */
  isOwn: boolean
}

const USUAL_COUNT = 10
const MOST_COUNT = 20
const LONGEST_CHARACTERS = 500

/** Reads a question about a person's things; null when it is not one. */
export function readFileQuestion(text: string, reader: Pick<AgentCaller, 'timeZone' | 'now'>): FileQuestion | null {
  if (text.length > LONGEST_CHARACTERS) return null
  const typed = typeWords.find(([, pattern]) => pattern.test(text))
  const sought = seekWords.exec(text)
  if (typed === undefined && sought === null) return null
  const tag = tagPattern.exec(text)?.[1]?.trim() ?? null
  const days = readDays(text, reader)
  const topic = tag === null ? readTopic(text, sought, typed?.[1]) : null
  const isAsking = listWords.test(text) || ownWords.test(text) || sought !== null
  const wish = wishWords.size.test(text)
    ? 'size'
    : wishWords.count.test(text)
      ? 'count'
      : topic
        ? 'find'
        : typed !== undefined && (isAsking || tag !== null || days !== null)
          ? 'list'
          : null
  if (wish === null) return null
  return {
    wish,
    tag,
    type: typed?.[0] ?? null,
    isNamed: typed !== undefined,
    isPdf: /\bpdfs?\b/iu.test(text),
    topic: topic || null,
    days,
    sort: sortWords.find(([, pattern]) => pattern.test(text))?.[0] ?? 'newest',
    count: readCount(text),
    isOwn: ownWords.test(text),
  }
}

/** Search topic; null when items are only listed, counted or measured. */
function readTopic(text: string, sought: RegExpExecArray | null, type: RegExp | undefined): string | null {
  const found = wishWords.find.exec(text)
  if (found) return topicAfter(text.slice(found.index + found[0].length))
  if (sought === null) return null
  const rest = text.slice(sought[0].length)
  const named = type?.exec(rest)
  if (!named) return topicAfter(rest)
  // "find pictures of a dog", but not "find my last pictures" or "find pictures of last May"
  const after = rest.slice(named.index + named[0].length)
  const of = ofWords.exec(after)
  if (of === null || monthIn(after) !== null || relativeDays.some(([pattern]) => pattern.test(after))) return null
  return topicAfter(after.slice(of[0].length))
}

function topicAfter(rest: string): string {
  return rest
    .replace(/[?.!]+\s*$/u, '')
    .replace(
      /^\s*(?:an?|the|some|my|una?|el|la|los|las|de|d['’]|une?|le|les|l['’]|du|des|eine?[nrms]?|de[nrm]|die|das)\s+/iu,
      '',
    )
    .replace(/^["“«„']|["”»“']$/gu, '')
    .trim()
}

function readCount(text: string): number {
  const digits = /(?<![\d.:/-])(\d{1,2})(?![\d.:/-]|\p{L})/u.exec(text)?.[1]
  const said =
    digits === undefined ? numberWords.findIndex((pattern, at) => at > 0 && pattern.test(text)) + 1 : Number(digits)
  if (said > 0) return Math.min(MOST_COUNT, said)
  // "the last picture", but not "the last pictures"
  return /(?<!\p{L})(?:last|latest|newest|oldest|largest|biggest) (?:picture|photo|image|video|film|recording|document|pdf|file)(?!\p{L})/iu.test(
    text,
  )
    ? 1
    : USUAL_COUNT
}

function readDays(text: string, { now, timeZone }: Pick<AgentCaller, 'timeZone' | 'now'>): FileQuestion['days'] {
  const today = DateTime.fromJSDate(now, { zone: timeZone }).startOf('day')
  const span = (from: DateTime, to: DateTime) => ({ from: from.toJSDate(), to: to.toJSDate() })
  const relative = relativeDays.find(([pattern]) => pattern.test(text))?.[1]
  switch (relative) {
    case 'today':
      return span(today, today.plus({ days: 1 }))
    case 'yesterday':
      return span(today.minus({ days: 1 }), today)
    case 'week':
      return span(today.startOf('week').minus({ weeks: 1 }), today.startOf('week'))
    case 'month':
      return span(today.startOf('month').minus({ months: 1 }), today.startOf('month'))
    case 'year':
      return span(today.startOf('year').minus({ years: 1 }), today.startOf('year'))
    case 'this-month':
      return span(today.startOf('month'), today.startOf('month').plus({ months: 1 }))
    case 'this-year':
      return span(today.startOf('year'), today.startOf('year').plus({ years: 1 }))
    case undefined:
      break
  }
  const year = Number(/(?<!\d)((?:19|20)\d\d)(?!\d)/u.exec(text)?.[1] ?? 0)
  const month = monthIn(text)
  if (month !== null) {
    // the one that was last, or is now
    const at = DateTime.fromObject({ year: year || today.year, month }, { zone: timeZone })
    const begin = year === 0 && at > today ? at.minus({ years: 1 }) : at
    return span(begin, begin.plus({ months: 1 }))
  }
  if (year === 0) return null
  const begin = DateTime.fromObject({ year }, { zone: timeZone })
  return span(begin, begin.plus({ years: 1 }))
}

const monthNames = languages.map((language) => {
  const format = new Intl.DateTimeFormat(language, { month: 'long', timeZone: 'UTC' })
  return Array.from({ length: 12 }, (_, month) => plainText(format.format(new Date(Date.UTC(2000, month, 1)))))
})

function monthIn(text: string): number | null {
  const words = new Set(plainText(text).split(/[^\p{L}]+/u))
  for (const names of monthNames) {
    const month = names.findIndex((name) => words.has(name))
    if (month !== -1) return month + 1
  }
  return null
}
