import { readElements } from '../paper-xml.ts'
import type { PaperZip } from '../paper-zip.ts'

/** What a number in a cell stands for. */
export type CellStyle = 'number' | 'date' | 'time' | 'moment' | 'percent'

/** Formats that have a number and no text of their own. */
const builtInFormats: Record<number, CellStyle> = {
  9: 'percent',
  10: 'percent',
  14: 'date',
  15: 'date',
  16: 'date',
  17: 'date',
  22: 'moment',
  18: 'time',
  19: 'time',
  20: 'time',
  21: 'time',
  45: 'time',
  46: 'time',
  47: 'time',
}
const DAY_MS = 24 * 60 * 60 * 1000

/** What numbers stand for, by the style of their cell. */
export async function cellStyles(zip: PaperZip, name: string): Promise<CellStyle[]> {
  const formats = new Map<number, CellStyle>()
  const styles: CellStyle[] = []
  let isInCells = false
  await readElements(zip.pieces(name), 'xml', {
    open: (element, attributes) => {
      if (element === 'numFmt') formats.set(Number(attributes.numFmtId), styleOf(attributes.formatCode ?? ''))
      else if (element === 'cellXfs') isInCells = true
      else if (element === 'xf' && isInCells) {
        const id = Number(attributes.numFmtId ?? 0)
        styles.push(formats.get(id) ?? builtInFormats[id] ?? 'number')
      }
    },
    close: (element) => {
      if (element === 'cellXfs') isInCells = false
    },
  })
  return styles
}

/** What a format such as `dd/mm/yyyy hh:mm` makes of a number. */
function styleOf(code: string): CellStyle {
  const plain = code.replaceAll(/"[^"]*"|\\.|\[[^\]]*\]/g, '').toLowerCase()
  const hasDay = /[yd]/.test(plain)
  const hasHour = /[hs]/.test(plain)
  if (hasDay) return hasHour ? 'moment' : 'date'
  if (hasHour) return 'time'
  return plain.includes('%') ? 'percent' : 'number'
}

/** A number as a person would write it: days since 1900 (or 1904) as a date, 0.19 as 19 %. */
export function shownNumber(written: string, style: CellStyle, countsFrom1904: boolean): string {
  const number = Number(written)
  if (written.trim() === '' || !Number.isFinite(number)) return written
  // what was calculated ends in many digits that nobody wrote
  const plain = (value: number) => String(Number(value.toPrecision(12)))
  if (style === 'number') return plain(number)
  if (style === 'percent') return `${plain(number * 100)}%`
  const from = countsFrom1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30)
  const date = new Date(Math.round((from + number * DAY_MS) / 1000) * 1000)
  if (Number.isNaN(date.getTime())) return plain(number)
  const [day = '', time = ''] = date.toISOString().replace('.000Z', '').split('T')
  if (style === 'date') return day
  return style === 'time' ? time : `${day} ${time}`
}
