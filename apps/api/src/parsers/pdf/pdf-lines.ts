// Joins the runs of text of a page into lines.

/** A run of text with its position on the page. */
export interface PlacedText {
  str: string
  transform: number[]
  width: number
  height: number
}

/** Text run of pdf.js; `dir` is rtl for a script that's written from right to left. */
export interface TextRun extends PlacedText {
  dir: string
  hasEOL: boolean
}

/** A run in a line, with x from the left of the displayed page. */
interface LineRun {
  text: string
  isRightToLeft: boolean
  x: number
  width: number
  height: number
  /** True when it begins far from the end of the previous run, like the next cell of a table. */
  isApart: boolean
}

/** Distances from which a run begins another line, or another cell, in points. */
const LINE_DISTANCE = 4.6
const CELL_DISTANCE = 7
/** Gaps between runs that count as a blank, or as the space between cells, relative to the height of the letters. */
const [BLANK_GAP, CELL_GAP] = [0.1, 1.5]
/** Text that's drawn twice within this share of its height is read once: programs do that for bold letters and shadows. */
const SAME_POSITION = 0.1
const MAX_SAME_TEXTS = 20
const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/gu
const LETTER_FROM_LEFT = /[^\P{L}\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/gu
const ONLY_MARKS = /^\p{M}+$/u
const ARABIC_FORMS = /[\uFB1D-\uFDFF\uFE70-\uFEFC]+/gu
/** Hyphens that don't break a word, although their font declares them as soft. */
const HYPHEN_IN_NUMBER = /(?<=\d)\u00AD(?=[\p{Lu}\d])|(?<=\p{Lu})\u00AD(?=\d)/gu
const HYPHEN_ALONE = /(?<![\p{L}\p{M}])\u00AD/gu

/** Lines of a page. @param positionOf position on the displayed page, from its top left. */
export function linesOf(runs: TextRun[], positionOf: (x: number, y: number) => number[]): string {
  const lines: LineRun[][] = [[]]
  const positionsByText = new Map<string, { x: number; y: number }[]>()
  let [endX, lastY, lineHeight] = [Number.NaN, Number.NaN, 0]
  // Run that separately drawn combining marks belong to.
  let base: LineRun | undefined
  const startLine = () => {
    lines.push([])
    ;[lineHeight, base] = [0, undefined]
  }
  for (const { str, dir, transform, width, height, hasEOL } of runs) {
    const [x = 0, y = 0] = positionOf(transform[4] ?? 0, transform[5] ?? 0)
    const isBlank = str.trim() === ''
    const distance = Math.abs(lastY - y)
    const isNextLine = distance > Math.max(LINE_DISTANCE, lineHeight + 1) && !(isBlank && hasEOL)
    const positions = positionsByText.get(str) ?? []
    const isRepeated =
      !isBlank && positions.some((position) => Math.hypot(position.x - x, position.y - y) < height * SAME_POSITION)
    if (!isRepeated) positionsByText.set(str, [{ x, y }, ...positions.slice(0, MAX_SAME_TEXTS - 1)])
    if (!isRepeated && ONLY_MARKS.test(str) && !isNextLine && base !== undefined) base.text += str
    else if (!isRepeated) {
      if (isNextLine && lines.at(-1)?.length !== 0) startLine()
      const isApart = distance < LINE_DISTANCE && Math.abs(endX - x) > CELL_DISTANCE
      const run: LineRun = { text: str, isRightToLeft: dir === 'rtl', x, width, height, isApart }
      lines.at(-1)?.push(run)
      if (!isBlank) base = run
      ;[endX, lastY, lineHeight] = [x + width, y, Math.max(lineHeight, height)]
    }
    if (hasEOL && !(isRepeated && lines.at(-1)?.length === 0)) startLine()
  }
  return lines.map(lineOf).join('\n').replace(HYPHEN_IN_NUMBER, '-').replace(HYPHEN_ALONE, '')
}

function lineOf(line: LineRun[]): string {
  const text = line.map((run) => (run.isApart ? `\t${run.text}` : run.text)).join('')
  const fromRight = text.match(RIGHT_TO_LEFT)?.length ?? 0
  if (fromRight === 0) return text
  const fromLeft = text.match(LETTER_FROM_LEFT)?.length ?? 0
  return inReadingOrder(line, fromRight > fromLeft).replace(ARABIC_FORMS, (forms) => forms.normalize('NFKC'))
}

/** Text of a line in reading order, since most programs write its runs from left to right, whatever their script. */
function inReadingOrder(line: LineRun[], isFromRight: boolean): string {
  const runs = line.filter(({ text }) => text.trim() !== '').toSorted((one, other) => one.x - other.x)
  const isWord = (run: LineRun | undefined) => run !== undefined && !run.isRightToLeft && /[\p{L}\p{N}]/u.test(run.text)
  const isReversed = runs.map((run, index) => {
    if (run.isRightToLeft || isWord(run)) return run.isRightToLeft
    return isFromRight && !(isWord(runs[index - 1]) && isWord(runs[index + 1]))
  })
  const gapBefore = (index: number): string => {
    const [previous, run] = [runs[index - 1], runs[index]]
    if (previous === undefined || run === undefined) return ''
    const gap = (run.x - previous.x - previous.width) / Math.max(run.height, previous.height, 1)
    if (gap < BLANK_GAP) return ''
    return gap > CELL_GAP ? '\t' : ' '
  }
  let [text, part] = ['', '']
  runs.forEach((run, index) => {
    const gap = gapBefore(index)
    const [wasReversed, isNowReversed] = [isReversed[index - 1] ?? isReversed[index], isReversed[index]]
    if (wasReversed === isNowReversed) part = isNowReversed ? `${run.text}${gap}${part}` : `${part}${gap}${run.text}`
    else {
      text = isFromRight ? `${gap}${part}${text}` : `${text}${part}${gap}`
      part = run.text
    }
  })
  return isFromRight ? `${part}${text}` : `${text}${part}`
}
