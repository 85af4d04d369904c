import type { Language } from '@mira/shared'
import type { Chrono } from 'chrono-node'
// the package as a whole brings a dozen languages more
import { casual as german } from 'chrono-node/de'
import { GB as british } from 'chrono-node/en'
import { casual as spanish } from 'chrono-node/es'
import { casual as french } from 'chrono-node/fr'

/** Parsers of dates and times by language. */
export const dateParsers: Record<Language, Chrono> = { en: british, es: spanish, fr: french, de: german }
