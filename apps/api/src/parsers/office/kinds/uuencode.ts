/** A file in a text between `begin 644 name` and `end`, as mails carried files before MIME. */
const FILE = /^begin [0-7]{3,4} (\S[^\n]*)\n((?:[ -`]{0,64}\n)+?)end *$/gm

/** A text without the files in it. @param take receives each file. */
export function takeUuencoded(text: string, take: (name: string, content: Uint8Array) => void): string {
  return text.replaceAll('\r\n', '\n').replaceAll(FILE, (_, name: string, lines: string) => {
    take(name.trim(), decoded(lines))
    return ''
  })
}

/** Each line begins with the number of its bytes; four characters are three bytes, and blanks at the end may be lost. */
function decoded(lines: string): Uint8Array {
  const bytes = new Uint8Array(lines.length)
  let length = 0
  for (const line of lines.split('\n')) {
    const valueAt = (index: number) => ((line.charCodeAt(index) || 0x20) - 0x20) & 63
    for (let at = 1, left = valueAt(0); left > 0; at += 4, left -= 3) {
      const three = (valueAt(at) << 18) | (valueAt(at + 1) << 12) | (valueAt(at + 2) << 6) | valueAt(at + 3)
      for (let shift = 16; shift >= 0 && 16 - shift < 8 * left; shift -= 8) bytes[length++] = (three >> shift) & 255
    }
  }
  return bytes.subarray(0, length)
}
