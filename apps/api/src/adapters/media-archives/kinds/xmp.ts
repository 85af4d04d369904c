import { xmpValues } from '../../media/pictures/xmp-values.ts'
import type { ToldFacts } from '../media-archives.ts'

/** XMP properties to read, with the usual prefixes. */
const TITLE = 'dc:title'
const DESCRIPTION = 'dc:description'
const KEYWORDS = 'dc:subject'
const MOMENTS = ['photoshop:DateCreated', 'exif:DateTimeOriginal', 'xmp:CreateDate']
const PLACE = { latitude: 'exif:GPSLatitude', longitude: 'exif:GPSLongitude' }
const read = new Set([
  ...[TITLE, DESCRIPTION, KEYWORDS, ...MOMENTS],
  ...Object.values(PLACE).flatMap((name) => [name, `${name}Ref`]),
])

/**
 * Reads an XMP sidecar of a photo manager (Photos, Lightroom, digiKam): date, place, title, description and keywords.
 */
export function factsOfXmp(text: string): Omit<ToldFacts, 'isFavorite'> {
  const values = xmpValues(text, read)
  const first = (name: string) => values.get(name)?.[0] ?? ''
  const [latitude, longitude] = [PLACE.latitude, PLACE.longitude].map((name) =>
    degreesOf(first(name), first(`${name}Ref`)),
  ) as [number | null, number | null]
  const isPlace =
    latitude !== null &&
    longitude !== null &&
    Math.abs(latitude) <= 90 &&
    Math.abs(longitude) <= 180 &&
    (latitude !== 0 || longitude !== 0)
  const said = [first(TITLE), first(DESCRIPTION)].filter((words) => words !== '')
  return {
    takenAt: MOMENTS.map((name) => momentOf(first(name))).find((moment) => moment !== null) ?? null,
    latitude: isPlace ? latitude : null,
    longitude: isPlace ? longitude : null,
    description: [...new Set(said)].join('\n') || null,
    tags: [...new Set(values.get(KEYWORDS) ?? [])],
  }
}

/** `48,12.5N`, `48,12,30N`, or degrees as they are with N, South or the like beside them. */
function degreesOf(text: string, beside: string): number | null {
  const [, sign = '', numbers = '', letter = ''] = /^(-?)([\d.]+(?:,[\d.]+){0,2})\s*([NSEW]?)$/i.exec(text) ?? []
  if (numbers === '') return null
  const degrees = numbers.split(',').reduce((sum, part, at) => sum + Number(part) / 60 ** at, 0)
  if (!Number.isFinite(degrees)) return null
  const isNegative = sign === '-' || /^[SW]/i.test(letter || beside)
  return isNegative ? -degrees : degrees
}

/** A time without a zone is the time on the clock, as if it were UTC. */
function momentOf(text: string): string | null {
  if (!/^\d{4}-\d\d-\d\d/.test(text)) return null
  const hasClock = /T\d\d:\d\d/.test(text)
  const at = Date.parse(!hasClock || /(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`)
  return Number.isNaN(at) ? null : new Date(at).toISOString()
}
