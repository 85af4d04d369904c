import { cutText } from '@mira/shared/constants/cut-text'

export const MAX_NAME_CHARACTERS = 200

/** A fact in one line, without control characters and direction marks. */
export const factText = (text: string, maxCharacters: number) =>
  cutText(
    text
      .replaceAll(/[\p{Cc}\s]+/gu, ' ')
      .replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '')
      .trim(),
    maxCharacters,
  ).toWellFormed()
export const nameText = (text: string | null) => factText(text ?? '', MAX_NAME_CHARACTERS) || null

/** Letters and digits of a text, in lower case, to compare names and titles. */
export const letters = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '')

const BY =
  /^(?:(?:by|par|por|autor(?:in)?|author|written by|posted by|artikel von)(?![\p{L}\p{N}])|(?:von|di|door|text):)[:\s]*/iu
/** Words for "by" that may also begin a name ("Von der Leyen", "Di Caprio"): in lower case, or before a first and last name. */
const FROM = /^(?:(?:von|di|door|text)\s+|(?:Von|Di|Door)\s+(?=\p{Lu}\S*\s+\p{Lu}))/u

const MONTHS = new Set(
  ['en', 'de', 'es', 'fr'].flatMap((language) =>
    (['long', 'short'] as const).flatMap((month) => {
      const format = new Intl.DateTimeFormat(language, { month, timeZone: 'UTC' })
      return Array.from({ length: 12 }, (_, index) => letters(format.format(Date.UTC(2024, index, 15))))
    }),
  ),
)

/** Words around names, mostly of dates, that aren't names on their own. */
const NO_NAMES = new Set([
  ...MONTHS,
  ...['updated', 'published', 'posted', 'share', 'read', 'reading', 'time', 'min', 'mins', 'minute', 'minutes', 'ago'],
  ...['day', 'days', 'hour', 'hours'],
  ...['aktualisiert', 'veröffentlicht', 'teilen', 'lesezeit', 'minuten', 'publicado', 'actualizado', 'compartir'],
  ...['lectura', 'minutos', 'publié', 'partager', 'lecture', 'de', 'on', 'am', 'le', 'el'],
  ...['by', 'von', 'par', 'por', 'door', 'text'],
])

/** Byline up to its date, which may begin with the month or a dash. */
function withoutDate(byline: string): string {
  const start = byline.replace(/(?:,|\s(?:am|on|le|el|at|um|in))?\s\S*\d.*$/, '')
  if (start === byline) return byline
  const words = start.split(' ')
  // "Theresa May, 6 June 2024" has its month after the day.
  const hasMonth = [...MONTHS].some((month) => letters(byline.slice(start.length)).includes(month))
  const isName = (word: string) => word !== '' && (!NO_NAMES.has(word) || (hasMonth && MONTHS.has(word)))
  const last = words.findLastIndex((word) => isName(letters(word)))
  return words.slice(0, last + 1).join(' ')
}

/** Name in a byline, which often has a date; null for none. */
export function authorOf(byline: string | null | undefined): string | null {
  const parts = (byline ?? '')
    .split(/[|·•\n\t]|\s{3,}/)
    .map((part) => part.trim())
    .filter(Boolean)
    .map((part) => {
      const rest = part.replace(BY.test(part) ? BY : FROM, '')
      const name = withoutDate(rest).trim()
      return { part, name, isNamed: rest !== part }
    })
    .filter(
      ({ name, isNamed }) =>
        isNamed || name.split(/[^\p{L}\p{M}]+/u).some((word) => word && !NO_NAMES.has(letters(word))),
    )
  const author = parts.find(({ isNamed }) => isNamed) ?? parts.find(({ part }) => !/\d/.test(part)) ?? parts[0]
  return author === undefined || /^(?:[a-z][\w+.-]*:\/\/|mailto:)/i.test(author.name) ? null : nameText(author.name)
}
