import { markWords } from './item-location.ts'

/** A text with words marked. */
export function MarkedText({ text, words }: { text: string; words: string }) {
  return markWords(text, words).map(({ offset, text: part, isMarked }) =>
    isMarked ? (
      <mark key={offset} className="rounded-[0.1875rem] bg-warning-soft text-warning-text underline underline-offset-3">
        {part}
      </mark>
    ) : (
      part
    ),
  )
}
