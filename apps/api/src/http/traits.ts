/** What a request tells of the person's place and language. */
export interface RequestTraits {
  /** An IANA time zone; undefined when none that is known was sent. */
  timeZone: string | undefined
  /** A language that the product speaks; undefined when none of them was sent. */
  language: Language | undefined
}

/** The languages that the product speaks. */
export type Language = 'en' | 'es' | 'fr' | 'de'

const languages: readonly string[] = ['en', 'es', 'fr', 'de'] satisfies Language[]

/** Reads `X-Time-Zone` and `Accept-Language`. */
export function readTraits(headers: Record<string, string | string[] | undefined>): RequestTraits {
  return {
    timeZone: readTimeZone(boundedText(headers['x-time-zone'])),
    language: readLanguage(boundedText(headers['accept-language'])),
  }
}

function boundedText(value: string | string[] | undefined): string {
  return typeof value === 'string' && value.length <= 200 ? value : ''
}

/** Zones that were seen and are known: making the formatter that judges them takes long. */
const knownZones = new Set(['UTC'])
const KNOWN_ZONES_MAX = 1000

function readTimeZone(zone: string): string | undefined {
  if (knownZones.has(zone)) return zone
  // offsets such as +01:00 are left out: PostgreSQL reads them with the opposite sign
  if (!/^[A-Za-z][\w+-]*(\/[\w+-]+)*$/.test(zone)) return undefined
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
  } catch {
    return undefined
  }
  if (knownZones.size < KNOWN_ZONES_MAX) knownZones.add(zone)
  return zone
}

/** The language of ours that the header prefers. */
function readLanguage(header: string): Language | undefined {
  const wishes = header.split(',').map((part) => {
    const [range = '', ...parameters] = part.trim().split(';')
    const quality = parameters.map((parameter) => /^\s*q=([\d.]+)\s*$/.exec(parameter)?.[1]).find(Boolean)
    return {
      language: range.trim().slice(0, 2).toLowerCase(),
      range,
      quality: quality === undefined ? 1 : Number(quality),
    }
  })
  return wishes
    .filter(
      ({ language, range, quality }) => languages.includes(language) && /^..(-|$)/.test(range.trim()) && quality > 0,
    )
    .sort((a, b) => b.quality - a.quality)[0]?.language as Language | undefined
}
