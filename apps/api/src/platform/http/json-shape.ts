/** Maximum number and nesting depth of values in a request: more than any request needs. */
export const MAX_VALUES = 10_000
export const MAX_DEPTH = 64

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const OPENING_BRACKETS = new Set([0x5b, 0x7b])
const CLOSING_BRACKETS = new Set([0x5d, 0x7d])

/**
 * True for JSON with too many values or nested too deeply, without parsing it. Text that isn't JSON may give either result.
 */
export function exceedsLimits(json: Uint8Array): boolean {
  let isInText = false
  let commas = 0
  let opened = 0
  let depth = 0
  for (let index = 0; index < json.length; index++) {
    const byte = json[index] as number
    if (isInText) {
      if (byte === BACKSLASH) index++
      else if (byte === QUOTE) isInText = false
    } else if (byte === QUOTE) isInText = true
    else if (byte === COMMA) {
      if (++commas >= MAX_VALUES) return true
    } else if (OPENING_BRACKETS.has(byte)) {
      // + 1: the outermost value doesn't count
      if (++opened > MAX_VALUES + 1 || ++depth > MAX_DEPTH) return true
    } else if (CLOSING_BRACKETS.has(byte)) depth--
  }
  return false
}
