import { cutText } from '@mira/shared/constants/cut-text'
import { Parser } from 'htmlparser2'

const MAX_SOURCE_CHARACTERS = 10_000

const silentElements = new Set(['script', 'style'])
/** Inline elements, whose borders aren't spaces. */
const inlineElements = new Set('a abbr b code em i mark q small span strong sub sup u'.split(' '))

/** Untrusted HTML or text as one line of plain text, without control characters or direction marks. */
export function plainLine(html: string, maxCharacters: number): string {
  const text = textOf(cutText(html, MAX_SOURCE_CHARACTERS))
    .replace(/[\p{Cc}\u2028\u2029]/gu, ' ')
    .replace(/[\u00ad\u202a-\u202e\u2066-\u2069\u200e\u200f\ufeff]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toWellFormed()
  if (text.length <= maxCharacters) return text
  return `${cutText(text, maxCharacters).replace(/(?<!\s)\s+\S*$/, '')}…`
}

function textOf(html: string): string {
  let text = ''
  let silentDepth = 0
  const parser = new Parser({
    onopentagname(name) {
      if (silentElements.has(name)) silentDepth++
      if (!inlineElements.has(name)) text += ' '
    },
    ontext(piece) {
      if (silentDepth === 0) text += piece
    },
    onclosetag(name) {
      if (silentElements.has(name)) silentDepth--
      if (!inlineElements.has(name)) text += ' '
    },
    oncomment() {
      text += ' '
    },
  })
  parser.end(html)
  return text
}
