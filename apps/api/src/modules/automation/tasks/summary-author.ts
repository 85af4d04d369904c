import { asLanguage, languageNames } from '@mira/shared'
import type { Log } from '../../../log.ts'

interface WrittenText {
  text: string
  engine: string
  model: string | null
}

/** Writes one text; null when no model is connected. */
type WriteText = (
  request: { instructions: string; text: string; language: string },
  signal: AbortSignal,
) => Promise<WrittenText | null>

const TIMEOUT_MS = 30_000
const LONGEST_CHARACTERS = 1500

/** A summary of figures by a model; null when there is none, it fails, or it states a number that isn't among them. */
export async function writeSummary(
  { writeText, log }: { writeText: WriteText; log: Pick<Log, 'warn'> },
  figures: Record<string, unknown>,
  language: string,
  signal: AbortSignal,
): Promise<WrittenText | null> {
  try {
    const draft = await writeText(
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
    const text = draft?.text.replaceAll('\0', '').trim().toWellFormed() ?? ''
    if (draft === null || text === '' || text.length > LONGEST_CHARACTERS) return null
    if (!hasOnlyNumbersOf(text, figures)) return null
    return { ...draft, text }
  } catch (error) {
    if (!signal.aborted) log.warn({ err: error }, 'the model wrote no weekly summary, so a template is used')
    return null
  }
}

/** True when every number in a text is one of the figures. */
function hasOnlyNumbersOf(text: string, figures: Record<string, unknown>): boolean {
  const numbers = new Set(JSON.stringify(figures).match(/\d+/g)?.map(Number))
  const stated = text.replaceAll(/(?<=\d)[.,’\u00a0\u202f](?=\d{3}\b)/g, '').match(/\d+/g) ?? []
  return !/[{}]/.test(text) && stated.every((number) => numbers.has(Number(number)))
}
