import { coordinatesOf, takenTimeOf } from '../../../lib/taken-time.ts'
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
  )
  const place = coordinatesOf(latitude, longitude)
  const taken = MOMENTS.map((name) => takenTimeOf(first(name), '', place)).find((time) => time !== null)
  const said = [first(TITLE), first(DESCRIPTION)].filter((words) => words !== '')
  return {
    takenAt: taken?.at.toISOString() ?? null,
    takenLocal: taken?.local ?? null,
    latitude: place?.latitude ?? null,
    longitude: place?.longitude ?? null,
    description: [...new Set(said)].join('\n') || null,
    tags: [...new Set(values.get(KEYWORDS) ?? [])],
  }
}

/** `48,12.5N`, `48,12,30N`, or degrees as they are with N, South or the like beside them. */
function degreesOf(text: string, beside: string): number | undefined {
  const [, sign = '', numbers = '', letter = ''] = /^(-?)([\d.]+(?:,[\d.]+){0,2})\s*([NSEW]?)$/i.exec(text) ?? []
  if (numbers === '') return undefined
  const degrees = numbers.split(',').reduce((sum, part, at) => sum + Number(part) / 60 ** at, 0)
  if (!Number.isFinite(degrees)) return undefined
  const isNegative = sign === '-' || /^[SW]/i.test(letter || beside)
  return isNegative ? -degrees : degrees
}
