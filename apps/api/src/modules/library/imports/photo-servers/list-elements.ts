const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [LIST_BEGINS, LIST_ENDS, OBJECT_BEGINS, OBJECT_ENDS] = [0x5b, 0x5d, 0x7b, 0x7d]
const MAX_ELEMENT_BYTES = 256 * 1024
const MAX_KEY_BYTES = 64

/**
 * Elements of a JSON list of any length, parsed one by one.
 * @param key member of the outer object that contains the list; null when the list is the whole text.
 * @returns the elements; `hasBegun` is true once the list was found.
 */
export function listElements(chunks: AsyncIterable<Uint8Array>, key: string | null) {
  const listDepth = key === null ? 0 : 1
  let hasBegun = false

  /** @throws SyntaxError for an element that's too large, and for invalid JSON. */
  async function* elements(): AsyncGenerator<unknown> {
    let [depth, isInList, hasEnded] = [0, false, false]
    let [isString, isEscaped] = [false, false]
    let lastText: number[] = []
    let pieces: Uint8Array[] = []
    let pieceBytes = 0
    const keep = (piece: Uint8Array) => {
      pieceBytes += piece.length
      if (pieceBytes > MAX_ELEMENT_BYTES) throw new SyntaxError('an element of the list is too large')
      pieces.push(piece)
    }
    const take = (): string => {
      const text = Buffer.concat(pieces).toString('utf8').trim()
      pieces = []
      pieceBytes = 0
      return text
    }
    for await (const chunk of chunks) {
      let start = 0
      for (let index = 0; index < chunk.length && !hasEnded; index++) {
        const byte = chunk[index] as number
        if (isString) {
          if (isEscaped) isEscaped = false
          else if (byte === BACKSLASH) isEscaped = true
          else if (byte === QUOTE) isString = false
          else if (!isInList && lastText.length < MAX_KEY_BYTES) lastText.push(byte)
          continue
        }
        if (byte === QUOTE) {
          isString = true
          lastText = []
        } else if (byte === LIST_BEGINS || byte === OBJECT_BEGINS) {
          const isWantedList =
            byte === LIST_BEGINS && depth === listDepth && (key === null || Buffer.from(lastText).toString() === key)
          depth++
          if (isInList || !isWantedList) continue
          isInList = true
          hasBegun = true
          start = index + 1
        } else if (isInList && depth === listDepth + 1 && (byte === COMMA || byte === LIST_ENDS)) {
          keep(chunk.subarray(start, index))
          start = index + 1
          hasEnded = byte === LIST_ENDS
          const text = take()
          if (text !== '') yield JSON.parse(text)
          else if (!hasEnded) throw new SyntaxError('an element of the list is missing')
        } else if (byte === LIST_ENDS || byte === OBJECT_ENDS) depth--
      }
      if (hasEnded) return
      if (isInList) keep(chunk.subarray(start))
    }
    if (isInList) throw new SyntaxError('the list ends early')
  }

  return { elements: elements(), hasBegun: () => hasBegun }
}
