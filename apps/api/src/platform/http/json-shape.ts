/** Values of one request, and how deep they may be nested: more than any request needs. */
export const MAX_VALUES = 10_000
export const MAX_DEPTH = 64

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const OPENED = new Set([0x5b, 0x7b])
const CLOSED = new Set([0x5d, 0x7d])

/**
 * True for JSON with more values than a request may have, or nested too deeply, told without building any of them. What is
 * no JSON at all may be either.
 */
export function holdsTooMuch(json: Uint8Array): boolean {
  let isInText = false
  let commas = 0
  let opened = 0
  let depth = 0
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] as number
    if (isInText) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) isInText = false
    } else if (byte === QUOTE) isInText = true
    else if (byte === COMMA) {
      if (++commas >= MAX_VALUES) return true
    } else if (OPENED.has(byte)) {
      // the outermost is no value inside another
      if (++opened > MAX_VALUES + 1 || ++depth > MAX_DEPTH) return true
    } else if (CLOSED.has(byte)) depth--
  }
  return false
}
