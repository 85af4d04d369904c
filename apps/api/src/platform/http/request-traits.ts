import { asLanguage, type Language } from '@mira/shared'

/** Time zone and language of a request. */
export interface RequestTraits {
  /** An IANA time zone; undefined when none that is known was sent. */
  timeZone: string | undefined
  /** A language that the product speaks; undefined when none of them was sent. */
  language: Language | undefined
}

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
  const options = header.split(',').flatMap((part) => {
    const [range = '', ...parameters] = part.split(';').map((text) => text.trim())
    const language = /^..(-|$)/.test(range) ? asLanguage(range.slice(0, 2).toLowerCase()) : null
    const weight = parameters.map((parameter) => /^q=([\d.]+)$/.exec(parameter)?.[1]).find(Boolean)
    const quality = weight === undefined ? 1 : Number(weight)
    return language !== null && quality > 0 ? [{ language, quality }] : []
  })
  return options.sort((a, b) => b.quality - a.quality)[0]?.language
}
