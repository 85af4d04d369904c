/** Number of a `NumberField`, with a decimal point or comma where it need not be whole; NaN for anything else. */
export function typedNumber(typed: string, isWhole = true): number {
  const text = typed.trim()
  const pattern = isWhole ? /^\d+$/ : /^(?:\d+(?:[.,]\d*)?|[.,]\d+)$/
  return pattern.test(text) ? Number(text.replace(',', '.')) : Number.NaN
}
