import { asLanguage, languageNames } from '@mira/shared'
import type { Written } from './kinds/summary-generation.ts'

/** Something that answers one request with a text; null when no model is connected. */
export type WriteText = (
  request: { instructions: string; text: string; language: string },
  signal: AbortSignal,
) => Promise<{ text: string; engine: string; model: string | null } | null>

const TIMEOUT_MS = 30_000
const LONGEST_CHARACTERS = 1500

/** Lets a model put figures into words; null when there is none, or when it fails: then a rule does. */
export function createSummaryAuthor({ writeText, warn }: { writeText: WriteText; warn(error: unknown): void }) {
  return async (figures: Record<string, unknown>, language: string, signal: AbortSignal): Promise<Written | null> => {
    try {
      const written = await writeText(
        {
          instructions: [
            `Write a summary of a week in ${languageNames[asLanguage(language) ?? 'en'].english}, three sentences at most, plain text.`,
            'Use only the figures below, exactly as they are, and compare them with `previous`, the week before.',
            figures.until === undefined
              ? 'The week is over.'
              : 'The week is not over: say that it is the week so far; `previous` is the same days of the week before.',
            figures.whose === 'one person' ? 'Speak to that person.' : 'It is about all people who use this assistant.',
          ].join(' '),
          text: JSON.stringify(figures),
          language,
        },
        AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      )
      const text = written?.text.replaceAll('\0', '').trim().toWellFormed() ?? ''
      if (written === null || text === '' || text.length > LONGEST_CHARACTERS) return null
      if (!saysOnlyWhatIsCounted(text, figures)) return null
      return { ...written, text }
    } catch (error) {
      if (!signal.aborted) warn(error)
      return null
    }
  }
}

/** True when every number in a text is one of the figures; a model that invented one is rejected. */
export function saysOnlyWhatIsCounted(text: string, figures: Record<string, unknown>): boolean {
  const counted = new Set(JSON.stringify(figures).match(/\d+/g)?.map(Number))
  const said = text.replaceAll(/(?<=\d)[.,’\u00a0\u202f](?=\d{3}\b)/g, '').match(/\d+/g) ?? []
  return !/[{}]/.test(text) && said.every((number) => counted.has(Number(number)))
}
