import type { Language } from '@mira/shared/constants/languages'
import { isMissingPart } from '../../ui/lazy-part.tsx'
import { ApiError } from '../api/client.ts'
import { type Text, useLanguage, useText } from './i18n.ts'

/** Text of an error for the user. */
type ErrorText = (error: unknown, fallback?: string) => string

/**
 * Text of an error in `language`.
 *
 * In English this is the server's own sentence, which is the most exact; in other languages its code is translated.
 * `fallback`, such as "Login failed", is used when the server sent no sentence or the code has no translation.
 */
export function errorText(text: Text<'errors'>, language: Language, error: unknown, fallback?: string): string {
  if (isMissingPart(error)) return text('missingPart')
  if (!(error instanceof ApiError)) return fallback ?? text('unknown')
  if (error.code === 'network') return fallback ?? text('network')
  if (error.code === 'http') return fallback ?? text('http', { status: error.status })
  // an error without a code can't be translated, but its sentence is the best there is
  if (language === 'en' || error.code === 'unnamed') return error.detail
  const key = error.code as Parameters<typeof text.has>[0]
  return text.has(key) ? text(key) : (fallback ?? error.detail)
}

/**
 * The server's messages about single fields, by wire name. They're English: in other languages the translation of the
 * error code replaces each of them.
 */
export function fieldErrors(text: Text<'errors'>, language: Language, error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {}
  return Object.fromEntries(
    error.errors.map(({ path, message }) => [path, language === 'en' ? message : errorText(text, language, error)]),
  )
}

/** Returns texts of errors in the displayed language. */
export function useErrorText(): ErrorText {
  const text = useText('errors')
  const language = useLanguage()
  return (error, fallback) => errorText(text, language, error, fallback)
}

/** Returns the server's messages about single fields in the displayed language, by wire name. */
export function useFieldErrors(): (error: unknown) => Record<string, string> {
  const text = useText('errors')
  const language = useLanguage()
  return (error) => fieldErrors(text, language, error)
}
