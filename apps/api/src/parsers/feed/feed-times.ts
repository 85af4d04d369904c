/** Offsets of time zone abbreviations in feeds that Date doesn't know. */
const zoneOffsets: Readonly<Record<string, string>> = {
  ...{ WET: '+0000', WEST: '+0100', BST: '+0100', MET: '+0100', MEZ: '+0100', CET: '+0100' },
  ...{ MEST: '+0200', MESZ: '+0200', CEST: '+0200' },
  ...{ EET: '+0200', EEST: '+0300', MSK: '+0300', HKT: '+0800', SGT: '+0800', JST: '+0900', KST: '+0900' },
  ...{ AWST: '+0800', ACST: '+0930', AEST: '+1000', AEDT: '+1100', NZST: '+1200', NZDT: '+1300' },
  ...{ BRT: '-0300', ART: '-0300', AKST: '-0900', AKDT: '-0800', HST: '-1000' },
}

/** End of a time with its zone; times without one would be taken for the server's. */
const ZONE =
  /(?:(?<![A-Z])(?![AP]M$)[A-Z]{1,5}\)?|:\d\d(?:\.\d{1,9})?\s?(?:[AP]M\s)?(?:GMT|UTC)?[+-]\d{1,2}(?::?\d\d)?)$/i

/** Date in digits with the year last. */
const DIGITS = /^(\d{1,2})([./ -])(\d{1,2})\2(\d{4}|\d\d)(?!\d)/

const MONTH_LANGUAGES = ['de', 'es', 'fr', 'it', 'pt', 'nl', 'sv', 'da', 'nb']
let monthNumbers: ReadonlyMap<string, number> | undefined

/** Time of an item as ISO 8601 in UTC; null when it isn't understood. The language decides the order of days and months in digits. */
export function timeOf(date = '', language = ''): string | null {
  const text = date
    .trim()
    // the weekday, and the words and signs between date and time
    .replace(/^\p{L}+\.?,\s*/u, '')
    .replaceAll(/\s(?:at|[-–|])\s|,/g, ' ')
    .replace(/(\d)\s*([ap])\.?m\b\.?/i, '$1 $2m')
    .replace(/(?<!\d)(\d{1,2})(?:st|nd|rd|th|er|[.º])(?=\s)/, '$1')
    .replace(DIGITS, (_, first, separator, second, year) => {
      const isDayFirst = Number(second) <= 12 && (Number(first) > 12 || isDayFirstIn(language, separator))
      const [month, day] = isDayFirst ? [second, first] : [first, second]
      return `${year.padStart(4, '20')}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
    })
    .replace(/(?<=[\d\s])[A-Z]{3,4}$/, (letters) => zoneOffsets[letters] ?? letters)
  const zone = ZONE.test(text) ? '' : /\dT\d/.test(text) ? 'Z' : ' UTC'
  const time = Date.parse(text + zone) || Date.parse(withMonthInDigits(text) + zone)
  return Number.isNaN(time) ? null : new Date(time).toISOString()
}

const isDayFirstIn = (language: string, separator: string) =>
  separator === '.' || separator === ' ' || !/^(?:en(?:[-_](?:us|ca|ph))?)?$/i.test(language)

/** A date such as "3 août 2026" as "2026-8-3". */
function withMonthInDigits(text: string): string {
  return text.replace(/^(\d{1,2})(?: de)? (\p{L}{3,12})\.?(?: de)? (\d{4})/u, (whole, day, month, year) => {
    monthNumbers ??= namedMonths()
    const number = monthNumbers.get(lettersOf(month))
    return number === undefined ? whole : `${year}-${number}-${day}`
  })
}

function namedMonths(): ReadonlyMap<string, number> {
  const names = new Map<string, number>()
  for (const language of MONTH_LANGUAGES)
    for (const month of ['long', 'short'] as const) {
      const format = new Intl.DateTimeFormat(language, { month, day: 'numeric', timeZone: 'UTC' })
      for (let number = 1; number <= 12; number++) {
        const parts = format.formatToParts(Date.UTC(2024, number - 1, 15))
        names.set(lettersOf(parts.find(({ type }) => type === 'month')?.value ?? ''), number)
      }
    }
  return names
}

/** Lower-case letters without accents, which feeds often leave out. */
const lettersOf = (name: string) =>
  name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^\p{L}]/gu, '')
