import { format, isDateFormat } from 'numfmt'
import { readElements } from '../document-xml.ts'
import type { DocumentZip } from '../document-zip.ts'

/** Format codes that files refer to by number alone (ECMA-376 Part 1, 18.8.30). Dates without a fixed order are written as ISO. */
const builtInFormats: Record<number, string> = {
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  5: '"$"#,##0;-"$"#,##0',
  6: '"$"#,##0;-"$"#,##0',
  7: '"$"#,##0.00;-"$"#,##0.00',
  8: '"$"#,##0.00;-"$"#,##0.00',
  9: '0%',
  10: '0.00%',
  11: '0.00E+00',
  12: '# ?/?',
  13: '# ??/??',
  14: 'yyyy-mm-dd',
  15: 'd-mmm-yy',
  16: 'd-mmm',
  17: 'mmm-yy',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'yyyy-mm-dd h:mm',
  // dates and times of China, Japan and Korea: each language has its own order and signs
  ...Object.fromEntries([27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58].map((id) => [id, 'yyyy-mm-dd'])),
  32: 'h:mm',
  33: 'h:mm:ss',
  // dates in Japan, times in China
  ...Object.fromEntries([34, 35, 55, 56].map((id) => [id, '[<1]h:mm:ss;yyyy-mm-dd'])),
  37: '#,##0;(#,##0)',
  38: '#,##0;(#,##0)',
  39: '#,##0.00;(#,##0.00)',
  40: '#,##0.00;(#,##0.00)',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss.0',
  48: '##0.0E+0',
  49: '@',
}
const GENERAL = 'General'
/** Formats that mean "the system's long date" or time, replaced because their order differs between computers. */
const systemFormats: Record<string, string> = { f800: 'yyyy-mm-dd', f400: 'h:mm:ss' }
/** Longer codes are malicious; Excel allows 255 characters. */
const MAX_CODE_CHARACTERS = 1_000
/** Days between the two date systems. */
const DAYS_FROM_1900_TO_1904 = 1_462
const DAYS_FROM_1900_TO_1970 = 25_569
const DAY_MS = 24 * 60 * 60 * 1000
/** Significant digits of a double. */
const MAX_EXACT_DIGITS = 15
const MAX_DECIMALS = 9
/** Elapsed time such as `[h]:mm`, which counts from zero and not from a date. */
const ELAPSED = /\[(?:h+|m+|s+)\]/i
/** Excel's XML names a language twice: `[ENG][$-409]d-mmm-yy`. */
const XML_LANGUAGE = /^\[[A-Z]{3}\](?=\[\$-)/
/** A whole part and a fraction, such as `# ?/?` or `#\ ??/16`. */
const MIXED_FRACTION = /(?<![#0?,.])([#0?,]*[#0?])\\?[ _]([#0?]{1,3}\/(?:[#0?]{1,3}|[1-9]\d{0,3}))(?![#0?\d])/g
const QUOTED = /"[^"]*"|\[[^\]]*\]/g

/** The format code of each cell style, by its index. */
export async function cellFormats(zip: DocumentZip, name: string): Promise<string[]> {
  const codes = new Map<number, string>()
  const formats: string[] = []
  let isInFormats = false
  let isInCells = false
  await readElements(zip.pieces(name), 'xml', {
    open: (element, attributes) => {
      if (element === 'numFmts') isInFormats = true
      else if (element === 'cellXfs') isInCells = true
      else if (element === 'numFmt' && isInFormats) codes.set(Number(attributes.numFmtId), attributes.formatCode ?? '')
      else if (element === 'xf' && isInCells) {
        const id = Number(attributes.numFmtId ?? 0)
        formats.push(codes.get(id) ?? builtInFormats[id] ?? GENERAL)
      }
    },
    close: (element) => {
      if (element === 'numFmts') isInFormats = false
      else if (element === 'cellXfs') isInCells = false
    },
  })
  return formats
}

/**
 * A number as displayed in its cell.
 * @param rawValue the digits in the file, which may be more than a double can hold
 * @param writtenCode Excel's format code, such as `0.00` or `[h]:mm`
 */
export function shownNumber(rawValue: string, writtenCode: string, countsFrom1904: boolean): string {
  const code = writtenCode.replace(XML_LANGUAGE, '')
  const number = Number(rawValue)
  if (rawValue.trim() === '' || !Number.isFinite(number)) return rawValue
  if (isGeneral(code)) return plainNumber(rawValue.trim(), number)
  if (/^0+$/.test(code) && hasMoreDigitsThanExact(rawValue.trim())) return rawValue.trim().padStart(code.length, '0')
  const system = systemFormats[/^\[\$-(?:x-sys(?:date|time)|(f[48]00))\]/i.exec(code)?.[1]?.toLowerCase() ?? '']
  const pattern = system ?? code
  const isDate = isDateFormat(pattern) && !ELAPSED.test(pattern)
  const shown =
    number < 0 && ELAPSED.test(pattern)
      ? negativeElapsed(pattern, number)
      : formatOrNull(withFraction(pattern, number), countsFrom1904 && isDate ? number + DAYS_FROM_1900_TO_1904 : number)
  return shown ?? plainNumber(rawValue.trim(), number)
}

/** A negative elapsed time; numfmt counts it from the next lower day. */
function negativeElapsed(code: string, number: number): string | null {
  const [positive = '', negative] = code.split(';').filter((section) => !section.includes('@'))
  if (negative) return formatOrNull(negative, -number)
  const shown = formatOrNull(positive, -number)
  return shown && `-${shown}`
}

/** A format code with a mixed fraction written out: numfmt adds one to numbers that are nearly whole. */
function withFraction(code: string, number: number): string {
  return code.replaceAll(MIXED_FRACTION, (written, whole: string, fraction: string, offset: number) => {
    // the whole part may have blanks between its digits
    const before = code.slice(0, offset).replaceAll(QUOTED, '').split(';').at(-1) ?? ''
    if (/[#0?]/.test(before)) return written
    const size = Math.abs(number)
    const shown = formatOrNull(fraction, Number((size % 1).toFixed(MAX_DECIMALS)))
    const [numerator, denominator] = shown?.split('/').map(Number) ?? []
    if (numerator === undefined || denominator === undefined) return written
    if (numerator === 0 || numerator === denominator) return `"${formatOrNull(whole, Math.round(size)) || 0}"`
    return size < 1
      ? `"${numerator}/${denominator}"`
      : `"${formatOrNull(whole, Math.trunc(size))} ${numerator}/${denominator}"`
  })
}

/** A date that is written as ISO 8601, as displayed in its cell. */
export function shownDate(written: string, code: string): string {
  if (!isDateFormat(code)) return written
  // A time without a zone would be read in the server's.
  const time = Date.parse(/T[\d:.]+$/.test(written) ? `${written}Z` : written)
  return (Number.isNaN(time) ? null : formatOrNull(code, time / DAY_MS + DAYS_FROM_1900_TO_1970)) ?? written
}

/** A text as its cell shows it: formats may put words around it, such as `"No. "@`. */
export function shownText(text: string, code: string): string {
  return code.includes('@') && code !== '@' ? (formatOrNull(code, text) ?? text) : text
}

function isGeneral(code: string): boolean {
  return code === '' || code === '@' || code.toLowerCase() === 'general' || code.length > MAX_CODE_CHARACTERS
}

/** Null for a code or a value that can't be shown this way. */
function formatOrNull(code: string, value: number | string): string | null {
  try {
    const text = format(code, value, { dateErrorThrows: true, dateSpanLarge: true, nbsp: false, throws: true })
    return text.trim()
  } catch {
    return null
  }
}

function hasMoreDigitsThanExact(rawValue: string): boolean {
  return /^\d+$/.test(rawValue) && rawValue.length > MAX_EXACT_DIGITS
}

/** A number without a format: whole numbers to their last digit, others without the rounding errors of calculations. */
function plainNumber(rawValue: string, number: number): string {
  if (/^-?(?:0|[1-9]\d*)$/.test(rawValue)) return rawValue
  const size = Math.abs(number)
  if (number === 0) return '0'
  if (size >= 1e21 || size < 1e-4) return String(Number(number.toPrecision(6)))
  if (Number.isInteger(number)) return String(Number(number.toPrecision(MAX_EXACT_DIGITS)))
  const wholeDigits = String(Math.trunc(size)).length
  return String(Number(number.toFixed(Math.max(0, Math.min(MAX_DECIMALS, MAX_EXACT_DIGITS - wholeDigits)))))
}
