import { cutText } from '@mira/shared/constants/cut-text'

const MAX_CHARACTERS = 255
/** Anything longer isn't an extension. */
const MAX_EXTENSION_CHARACTERS = 16
/** Control characters, and marks that change the writing direction. */
const hidden = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff]/gu

/**
 * Cleaned file name: no folders, no invisible characters, at most 255 characters including the extension. `fallback` is
 * used for an empty name.
 */
export function cleanFileName(originalName: string, fallback: string): string {
  // Macs decompose accents; searches expect composed characters.
  const last = originalName.toWellFormed().normalize('NFC').replace(hidden, '').split(/[/\\]/).at(-1) ?? ''
  const name = last.replace(/\s+/g, ' ').trim()
  if (name === '' || /^\.+$/.test(name)) return fallback
  if (name.length <= MAX_CHARACTERS) return name
  const dot = name.lastIndexOf('.')
  const extension = dot > 0 && name.length - dot <= MAX_EXTENSION_CHARACTERS ? name.slice(dot) : ''
  return cutText(name, MAX_CHARACTERS - extension.length).trimEnd() + extension
}
