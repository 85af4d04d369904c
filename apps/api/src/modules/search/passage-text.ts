import type { SearchHit } from './hits.ts'
import type { MomentContext } from './indexing/item-moments.store.ts'
import type { ResultRow } from './memory.store.ts'

const LONGEST_CHARACTERS = 2000
const LONGEST_TITLE_CHARACTERS = 100
const SENTENCE_END = /(?=\s)(?<=[.!?…。！？]["'”’»)]*)\s+|\n+/u

/**
 * Text of a moment that can be understood alone: its page's title, the sentence before, itself, and the sentence after. For a
 * name or a picture, what is known of the item.
 */
export function passageText(
  { moment, matched }: Pick<SearchHit, 'moment' | 'matched'>,
  row: Pick<ResultRow, 'caption' | 'extractedText'>,
  around: MomentContext | undefined,
): string {
  const isText = matched !== 'looks' && (moment.kind === 'text' || moment.kind === 'speech')
  const parts = isText
    ? [
        titleIn(around?.beginning ?? null),
        sentencesOf(around?.before).at(-1),
        moment.body,
        sentencesOf(around?.after)[0],
      ]
    : [row.caption, row.extractedText, moment.body]
  const present = parts.filter((part): part is string => typeof part === 'string' && part.trim() !== '')
  // The first text of a page already holds its title.
  const distinct = present.filter(
    (part, index) => present.indexOf(part) === index && (part === moment.body || !moment.body.includes(part)),
  )
  return distinct.join('\n').trim().slice(0, LONGEST_CHARACTERS).toWellFormed()
}

/** The first line of a page when it is short enough to be its title. */
function titleIn(beginning: string | null): string | null {
  const line = beginning?.trim().split('\n')[0]?.trim() ?? ''
  return line !== '' && line.length <= LONGEST_TITLE_CHARACTERS ? line : null
}

function sentencesOf(text: string | null | undefined): string[] {
  return (text ?? '')
    .split(SENTENCE_END)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')
}
