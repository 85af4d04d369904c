const BEGIN = /^begin [0-7]{3,4} (\S.*)$/
const LINE = /^[ -`]{0,64}$/
const END = /^end *$/

/**
 * Removes the files between `begin 644 name` and `end` from a text; mails carried files this way before MIME.
 * @param take receives each file.
 * @returns the remaining text.
 */
export function extractUuencoded(text: string, take: (name: string, content: Uint8Array) => void): string {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  const otherLines: string[] = []
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ''
    const [, name] = BEGIN.exec(line) ?? []
    let end = index + 1
    if (name !== undefined) while (LINE.test(lines[end] ?? 'end')) end++
    if (name !== undefined && end > index + 1 && END.test(lines[end] ?? '')) {
      take(name.trim(), decodeLines(lines.slice(index + 1, end)))
      // the text after the file begins a new line
      otherLines.push('')
      index = end
    } else otherLines.push(line)
  }
  return otherLines.join('\n')
}

/** Each line begins with its number of bytes. Four characters encode three bytes; trailing blanks may have been lost. */
function decodeLines(lines: string[]): Uint8Array {
  const bytes = new Uint8Array(lines.reduce((sum, line) => sum + line.length + 1, 0))
  let length = 0
  for (const line of lines) {
    const valueAt = (index: number) => ((line.charCodeAt(index) || 0x20) - 0x20) & 63
    for (let offset = 1, left = valueAt(0); left > 0; offset += 4, left -= 3) {
      const threeBytes =
        (valueAt(offset) << 18) | (valueAt(offset + 1) << 12) | (valueAt(offset + 2) << 6) | valueAt(offset + 3)
      for (let shift = 16; shift >= 0 && 16 - shift < 8 * left; shift -= 8)
        bytes[length++] = (threeBytes >> shift) & 255
    }
  }
  return bytes.subarray(0, length)
}
