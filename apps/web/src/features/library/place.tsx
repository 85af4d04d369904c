import { cutText } from '@mira/shared/constants/cut-text'
import type { Language } from '@mira/shared/constants/languages'
import { ExternalLink } from 'lucide-react'
import { useText } from '../../lib/i18n/i18n.ts'
import type { Place } from './library-items.ts'

const NUMBER = '-?\\d{1,3}(?:\\.\\d{1,20})?'
/** Patterns of coordinates in map URLs, the most precise first: a URL's pin is preferred to the map's centre. */
const URL_PATTERNS = [
  `!3d(${NUMBER})!4d(${NUMBER})`,
  `[?&]mlat=(${NUMBER})&mlon=(${NUMBER})`,
  `[?&](?:q|query|ll|sll|destination|daddr|coordinate|center)=(?:loc:)?(${NUMBER})(?:,|%2C)[+ ]?(${NUMBER})`,
  `[?&]cp=(${NUMBER})(?:~|%7E)(${NUMBER})`,
  `/(?:place|search|dir)/(${NUMBER}),[+ ]?(${NUMBER})`,
  `@(${NUMBER}),(${NUMBER})`,
  `#map=\\d{1,2}(?:\\.\\d{1,4})?/(${NUMBER})/(${NUMBER})`,
  `^geo:(${NUMBER}),(${NUMBER})`,
].map((pattern) => new RegExp(pattern, 'i'))
/** Degrees like 43°15'36.5"N, 43° 15.6' N, 43.26 N or 43.26. */
const DEGREES =
  /^(-?)(\d{1,3}(?:\.\d{1,20})?)°?\s?(?:(\d{1,2}(?:\.\d{1,20})?)['′’]\s?)?(?:(\d{1,2}(?:\.\d{1,20})?)(?:"|″|”|'')\s?)?([NSEWO]?)$/i
const MAX_CHARACTERS = 2000
/** Direction that the letter O stands for: “Ost”, but “oeste” and “ouest”. None in English, where O may be a pasted E or W. */
const directionsOfO: Partial<Record<Language, 'E' | 'W'>> = { de: 'E', es: 'W', fr: 'W' }

/** Parses coordinates or a map URL as typed or pasted in a language, without any request; null for anything else. */
export function placeOfText(text: string, language: Language): Place | null {
  const clean = cutText(text.trim(), MAX_CHARACTERS)
  for (const pattern of URL_PATTERNS) {
    const [, latitude, longitude] = pattern.exec(clean) ?? []
    if (latitude !== undefined && longitude !== undefined) return validPlace(Number(latitude), Number(longitude))
  }
  const [latitude, longitude, ...more] = splitCoordinates(clean).map((part) => parseDegrees(part, language))
  return more.length > 0 || latitude == null || longitude == null ? null : validPlace(latitude, longitude)
}

/** OpenStreetMap URL of a place. */
function mapUrl({ latitude, longitude }: Place): string {
  return `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=15/${latitude}/${longitude}`
}

/** "43.26000, -2.92000". */
export function placeText({ latitude, longitude }: Place): string {
  return `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`
}

/** Splits latitude and longitude; a comma may be the separator or a decimal comma. */
function splitCoordinates(text: string): string[] {
  const withPoints = /^-?\d+,\d+\s*[;\s]\s*-?\d+,\d+$/.test(text) ? text.replaceAll(',', '.') : text
  const letters = /^(.+?[NS])[\s,;]+(.+[EWO])$/i.exec(withPoints)
  const parts = letters ? letters.slice(1) : withPoints.split(/\s*[,;]\s*|\s+/)
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}

function parseDegrees(text: string, language: Language): number | null {
  const [whole, sign, degrees, minutes = '0', seconds = '0', letter = ''] = DEGREES.exec(text) ?? []
  if (whole === undefined) return null
  const direction = letter.toUpperCase() === 'O' ? directionsOfO[language] : letter.toUpperCase()
  if (direction === undefined) return null
  const absolute = Number(degrees) + Number(minutes) / 60 + Number(seconds) / 3600
  return sign === '-' || direction === 'S' || direction === 'W' ? -absolute : absolute
}

/** The place at coordinates; null for coordinates out of range, and for 0, 0, which means an unknown place. */
function validPlace(latitude: number, longitude: number): Place | null {
  const isOnEarth = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180
  return isOnEarth && (latitude !== 0 || longitude !== 0) ? { latitude, longitude } : null
}

/** Coordinates with a link to an external map, which isn't contacted before the click. */
export function MapLink({ place }: { place: Place }) {
  const text = useText('gallery')
  return (
    <a
      href={mapUrl(place)}
      target="_blank"
      rel="noopener noreferrer"
      title={text('facts.openMap')}
      className="inline-flex items-center gap-1 text-accent-text underline underline-offset-2"
    >
      {placeText(place)}
      <ExternalLink aria-hidden className="size-3.5" />
      <span className="sr-only">{text('facts.openMap')}</span>
    </a>
  )
}
