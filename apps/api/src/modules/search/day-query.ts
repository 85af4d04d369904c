import { type DaySpan, EARLIER_YEARS } from '../../offline/phrases/written-days.ts'

/** Maximum months of a span; a longer one would match too many texts. */
const MAX_MONTHS = 12
const MONTHS = 12
const MAX_MONTH_DAYS = 31

/** Query for texts that contain a date of the spans in numbers, year first; null when every span is too long or open-ended. */
export function dayQueryOf(spans: readonly DaySpan[]): string | null {
  const queries = spans.flatMap(queriesOfSpan)
  return queries.length > 0 ? queries.join(' | ') : null
}

function queriesOfSpan({ first, last, isYearly }: DaySpan): string[] {
  if (first === null || last === null) return []
  const [begin, end] = [readDay(first), readDay(last)]
  const count = (end.year - begin.year) * MONTHS + end.month - begin.month + 1
  if (count > MAX_MONTHS) return []
  return Array.from({ length: count }, (_, index) => {
    const year = begin.year + Math.floor((begin.month - 1 + index) / MONTHS)
    const month = ((begin.month - 1 + index) % MONTHS) + 1
    const years = Array.from({ length: isYearly ? EARLIER_YEARS + 1 : 1 }, (_, yearsAgo) => year - yearsAgo)
    const from = index === 0 ? begin.day : 1
    const to = index === count - 1 ? end.day : MAX_MONTH_DAYS
    const isWhole = from === 1 && to >= new Date(Date.UTC(year, month, 0)).getUTCDate()
    const days = Array.from({ length: to - from + 1 }, (_, offset) => from + offset)
    return [anyOf(years), anyOf([month]), ...(isWhole ? [] : [anyOf(days)])].join(' <-> ')
  })
}

function readDay(text: string): { year: number; month: number; day: number } {
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number)
  return { year, month, day }
}

/** Query for any of the numbers; those below ten may be written with or without a zero. */
function anyOf(numbers: number[]): string {
  const forms = numbers.flatMap((number) => (number < 10 ? [`'0${number}'`, `'${number}'`] : [`'${number}'`]))
  return `(${forms.join(' | ')})`
}
