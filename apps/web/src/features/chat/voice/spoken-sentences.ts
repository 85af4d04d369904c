import { fenceAfter } from '../../../lib/format/code-fence.ts'

/** Part of a growing answer that's ready to be read aloud, and the offset of the part after it. */
interface SpokenPart {
  speech: string
  next: number
}

/**
 * Complete sentences of an answer from the offset `from` on; once the answer has ended, all its remaining text.
 *
 * @param codeWord spoken in place of a block of code.
 */
export function spokenSince(markdown: string, from: number, isEnd: boolean, codeWord: string): SpokenPart {
  const next = isEnd ? markdown.length : from + lastSentenceEnd(markdown.slice(from))
  return { speech: withoutMarkdown(markdown.slice(from, next), codeWord), next }
}

/** Offset after the last complete sentence or line outside code. */
function lastSentenceEnd(text: string): number {
  let end = 0
  let position = 0
  let fence = ''
  for (const line of text.match(/[^\n]*\n|[^\n]+/g) ?? []) {
    fence = fenceAfter(fence, line)
    if (fence === '') {
      const endInLine = line.endsWith('\n') ? line.length : sentenceEndIn(line)
      if (endInLine > 0) end = position + endInLine
    }
    position += line.length
  }
  return end
}

function sentenceEndIn(line: string): number {
  const ends = [...line.matchAll(/(?<!\b\d+|\b\p{L})[.!?…]["'”’»)\]*_]*\s+|[。！？]/gu)]
  const last = ends.at(-1)
  return last ? last.index + last[0].length : 0
}

function withoutMarkdown(markdown: string, codeWord: string): string {
  return markdown
    .replace(
      /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t])))*[ \t]*(`{3,}|~{3,})[\s\S]*?(^[ \t>]*\1[`~]*[ \t]*$|$(?![\s\S]))/gm,
      ` ${codeWord} `,
    )
    .replace(/!?\[([^\]\n]*)\]\([^)\n]*\)/g, '$1')
    .replace(/ ?\[\d{1,3}\]/g, '')
    .replace(/^[|:\- \t]{3,}$/gm, ' ')
    .replace(/^\s*(#{1,6}\s+|>\s*|[-*+]\s+(\[[ x]\]\s+)?)/gm, '')
    .replace(/[`|]|\*\*|__|~~|(?<=\s|^)[*_]|[*_](?=\s|[.,;:!?]|$)/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}
