import { cutText } from './constants/cut-text.ts'
import { withoutEmphasis, withoutLineMarks } from './constants/markdown.ts'

/** Markdown as text to read aloud: without code, syntax and URLs. Each block ends like a sentence. */
export function toSpeakableText(markdown: string): string {
  const blocks = withoutCode(markdown)
    .replace(/\$\$[\s\S]*?\$\$/g, ' ')
    .split('\n')
    .filter((line) => !/^[\s|:*_-]*$/.test(line))
    .map(speakableLine)
    .filter((line) => /[\p{L}\p{N}]/u.test(line))
  return blocks.map((line) => (/[.!?…:;。]["”’»)]*$/.test(line) ? line : `${line}.`)).join('\n')
}

function withoutCode(markdown: string): string {
  let isCode = false
  const lines = markdown.split('\n').filter((line) => {
    const isFence = /^\s{0,3}(```|~~~)/.test(line)
    if (isFence) isCode = !isCode
    return !isFence && !isCode
  })
  return lines.join('\n')
}

function speakableLine(line: string): string {
  return withoutEmphasis(
    withoutLineMarks(line)
      // citations
      .replace(/\s?\[\d{1,3}\]/g, '')
      .replace(/<?https?:\/\/\S+/g, '')
      .replace(/<\/?[a-z][^<>\n]{0,200}>/gi, ' ')
      // table cells
      .replace(/^\s*\|/, '')
      .replace(/\|\s*$/, '')
      .replaceAll('|', ', '),
  )
    .replace(/\s+/g, ' ')
    .trim()
}

/** Cuts a text into pieces of at most `maxCharacters`, preferably after a sentence. */
export function splitForSpeech(text: string, maxCharacters: number): string[] {
  const pieces: string[] = []
  let rest = text.trim()
  while (rest.length > maxCharacters) {
    const head = cutText(rest, maxCharacters)
    const ends = [...head.matchAll(/[.!?…。]["”’»)]*\s/g)].at(-1)
    const sentence = ends ? ends.index + ends[0].length : 0
    const word = head.lastIndexOf(' ')
    const end = sentence > maxCharacters / 4 ? sentence : word > 0 ? word : head.length
    pieces.push(rest.slice(0, end).trim())
    rest = rest.slice(end).trim()
  }
  if (rest !== '') pieces.push(rest)
  return pieces
}
