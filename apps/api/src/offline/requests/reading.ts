import type { Language } from '@mira/shared'
import type { Chrono } from 'chrono-node'
import { casual as german } from 'chrono-node/de'
import { GB as british } from 'chrono-node/en'
import { casual as spanish } from 'chrono-node/es'
import { casual as french } from 'chrono-node/fr'
import type { Caller } from '../../caller.ts'

/** Lower-case text without accents and redundant spaces, so that "Zürich" equals "zurich". */
export function plainText(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').replace(/ß/g, 'ss').toLowerCase().replace(/\s+/g, ' ').trim()
}

/** Escapes third-party text so that Markdown shows it literally. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_[\]<>|~#!]/g, '\\$&')
}

/** Date parsers by language, imported one by one because the whole package loads a dozen more languages. */
export const dateParsers: Record<Language, Chrono> = { en: british, es: spanish, fr: french, de: german }

/** Locale and time for reading a request. */
export interface RequestContext extends Pick<Caller, 'language' | 'timeZone'> {
  now: Date
}
