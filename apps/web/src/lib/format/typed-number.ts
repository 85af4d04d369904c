/** Parses the text of a `NumberField`. It may contain a decimal point or comma unless `isWhole`; NaN for anything else. */
export function typedNumber(typed: string, isWhole = true): number {
  const text = typed.trim()
  const pattern = isWhole ? /^\d+$/ : /^(?:\d+(?:[.,]\d*)?|[.,]\d+)$/
  return pattern.test(text) ? Number(text.replace(',', '.')) : Number.NaN
}
