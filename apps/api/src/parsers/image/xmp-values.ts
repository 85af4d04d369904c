import { Parser } from 'htmlparser2'
import { type Coordinates, coordinatesOf } from '../../platform/lib/taken-time.ts'

/** Limit for one property. */
const MAX_VALUES = 100

/** The values of XMP properties, written as elements or as attributes. @param names with their usual prefixes, such as dc:title. */
export function xmpValues(xmp: string, names: ReadonlySet<string>): Map<string, string[]> {
  const values = new Map<string, string[]>()
  let inside: string | null = null
  let text = ''
  const keep = (name: string, value: string) => {
    const clean = value.replace(/\s+/g, ' ').trim()
    const before = values.get(name) ?? []
    if (clean !== '' && before.length < MAX_VALUES) values.set(name, [...before, clean])
  }
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        for (const [key, value] of Object.entries(attributes)) if (names.has(key)) keep(key, value)
        if (names.has(name)) inside = name
        text = ''
      },
      ontext: (more) => {
        if (inside !== null) text += more
      },
      onclosetag(name) {
        if (inside !== null) keep(inside, text)
        text = ''
        if (name === inside) inside = null
      },
    },
    { xmlMode: true, decodeEntities: true },
  )
  parser.end(xmp)
  return values
}

const PLACE = { latitude: 'exif:GPSLatitude', longitude: 'exif:GPSLongitude' }
/** Names of the location properties. */
export const xmpPlaceNames = Object.values(PLACE).flatMap((name) => [name, `${name}Ref`])

/** Location stated by XMP. */
export function xmpPlaceOf(values: ReadonlyMap<string, string[]>): Coordinates | null {
  const first = (name: string) => values.get(name)?.[0] ?? ''
  const [latitude, longitude] = [PLACE.latitude, PLACE.longitude].map((name) =>
    degreesOf(first(name), first(`${name}Ref`)),
  )
  return coordinatesOf(latitude, longitude)
}

/** Parses `48,12.5N`, `48,12,30N`, or degrees with N, South or the like. */
function degreesOf(text: string, reference: string): number | undefined {
  const [, sign = '', numbers = '', letter = ''] = /^(-?)([\d.]+(?:,[\d.]+){0,2})\s*([NSEW]?)$/i.exec(text) ?? []
  if (numbers === '') return undefined
  const parts = numbers.split(',').map(Number)
  const degrees = parts.reduce((sum, part, index) => sum + part / 60 ** index, 0)
  // some programs write decimals with a comma, which would be a place far away
  if (!Number.isFinite(degrees) || parts.some((part, index) => index > 0 && part >= 60)) return undefined
  const isNegative = sign === '-' || /^[SW]/i.test(letter || reference)
  return isNegative ? -degrees : degrees
}
