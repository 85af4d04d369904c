import type { Language } from '@mira/shared'

/** Number as written, with its sign. */
export const numberPattern = /[-+]?\d+(?:[.,]\d+)*(?:e[-+]?\d+)?/giu

/** In German and Spanish, a dot before three digits groups them; in any language, several such dots do. */
const groupedByDots = /^[-+]?[1-9]\d{0,2}(?:\.\d{3})+$/
const groupedBySeveralDots = /^[-+]?[1-9]\d{0,2}(?:\.\d{3}){2,}$/
export const groupedBySpaces = /(?<![\d.,])\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?!\d)/gu

/** Converts `1,234.5` or `1.234,5` to `1234.5`. The language decides which sign is the decimal one unless the number itself shows it. */
export function plainNumber(number: string, language: Language): string {
  const isGrouped = language === 'de' || language === 'es' ? groupedByDots : groupedBySeveralDots
  if (isGrouped.test(number)) return number.replaceAll('.', '')
  // "3,5" and "0,125": a comma that groups is followed by three digits.
  if (/^[-+]?(?:\d+,(?:\d{1,2}|\d{4,})|0,\d+)(?:e[-+]?\d+)?$/iu.test(number)) return number.replace(',', '.')
  const decimalSign = /[.,]/.test(number)
    ? number.lastIndexOf(',') > number.lastIndexOf('.') && number.includes('.')
      ? ','
      : number.lastIndexOf('.') > number.lastIndexOf(',') && number.includes(',')
        ? '.'
        : language === 'en' || number.includes('.')
          ? '.'
          : ','
    : '.'
  const grouping = decimalSign === '.' ? /,/g : /\./g
  return number.replace(grouping, '').replace(',', '.')
}
