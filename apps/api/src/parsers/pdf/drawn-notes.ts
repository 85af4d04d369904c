// Texts of signatures and stamps, which pdf.js draws but doesn't return.

import { setTimeout as sleep } from 'node:timers/promises'

/** Drawing operations of a page. */
export interface Operations {
  fnArray: number[]
  argsArray: unknown[][]
}

/** Operation codes of pdf.js. */
const [SHOW_TEXT, BEGIN_NOTE, END_NOTE] = [44, 80, 81]
/** Operations that begin a text or move within it. */
const MOVES = new Set([31, 40, 41, 42, 43])
/** Numbers between glyphs shift the next one, in thousandths of the font size; a number below this stands for a blank. */
const BLANK = -200

/** Operations of a page; none when it can't be drawn, or not in time. @param untilMs time of `performance.now()`. */
export async function operationsOn(
  page: { getOperatorList(): Promise<Operations> },
  untilMs: number,
): Promise<Operations> {
  const nothing: Operations = { fnArray: [], argsArray: [] }
  const timeout = sleep(Math.max(0, untilMs - performance.now()), nothing, { ref: false })
  try {
    return await Promise.race([page.getOperatorList(), timeout])
  } catch {
    return nothing
  }
}

/** Text of each note by its id, in one line. */
export function drawnNotes({ fnArray, argsArray }: Operations): Map<string, string> {
  const texts = new Map<string, string>()
  let id: unknown = null
  let text = ''
  for (const [index, operation] of fnArray.entries()) {
    const firstArgument = argsArray[index]?.[0]
    if (operation === BEGIN_NOTE) [id, text] = [firstArgument, '']
    else if (operation === END_NOTE && typeof id === 'string') {
      texts.set(id, text.replaceAll(/\s+/g, ' ').trim())
      id = null
    } else if (id !== null && MOVES.has(operation)) text += ' '
    else if (id !== null && operation === SHOW_TEXT && Array.isArray(firstArgument))
      text += firstArgument.map(characterOf).join('')
  }
  return texts
}

function characterOf(glyph: unknown): string {
  if (typeof glyph === 'number') return glyph < BLANK ? ' ' : ''
  return typeof glyph === 'object' && glyph !== null && 'unicode' in glyph ? String(glyph.unicode) : ''
}
