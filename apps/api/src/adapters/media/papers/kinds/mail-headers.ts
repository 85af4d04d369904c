/** Encoded words (RFC 2047) that follow one another, parted by blanks or a folded line. */
const ENCODED_WORDS = /=\?[^?\s]+\?[bq]\?[^?\s]*\?=(?:\s+=\?[^?\s]+\?[bq]\?[^?\s]*\?=)+/gi
const ENCODED_WORD = /=\?([^?\s]+)\?([bq])\?([^?\s]*)\?=/gi
const MAX_HEADER_BYTES = 256 * 1024

/**
 * A mail with headers that any parser decodes: bytes of older encodings become UTF-8, and encoded words in the middle of
 * whose characters a line ends are joined.
 */
export function readableHeaders(mail: Uint8Array): Uint8Array {
  const beginning = Buffer.from(mail.subarray(0, MAX_HEADER_BYTES)).toString('latin1')
  const end = /\r?\n\r?\n/.exec(beginning)?.index ?? beginning.length
  const written = beginning.slice(0, end)
  const headers = asUnicode(written).replaceAll(ENCODED_WORDS, joined)
  return Buffer.concat([Buffer.from(headers), mail.subarray(end)])
}

function asUnicode(written: string): string {
  const bytes = Buffer.from(written, 'latin1')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    const charset = /^content-type:(?:[^\n]|\n[ \t])*charset="?([\w-]+)/im.exec(written)?.[1]
    const decoder = decoderOf(charset ?? 'windows-1252')
    return (decoder.encoding === 'utf-8' ? decoderOf('windows-1252') : decoder).decode(bytes)
  }
}

function decoderOf(charset: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder('windows-1252')
  }
}

/** Joins the bytes of neighbouring words in the same charset before they are decoded. */
function joined(words: string): string {
  const parts: { charset: string; bytes: Buffer[] }[] = []
  for (const [, charset = '', encoding = '', text = ''] of words.matchAll(ENCODED_WORD)) {
    const bytes = encoding.toLowerCase() === 'b' ? Buffer.from(text, 'base64') : quotedBytes(text)
    const last = parts.at(-1)
    if (last?.charset.toLowerCase() === charset.toLowerCase()) last.bytes.push(bytes)
    else parts.push({ charset, bytes: [bytes] })
  }
  return parts.map(({ charset, bytes }) => `=?${charset}?B?${Buffer.concat(bytes).toString('base64')}?=`).join(' ')
}

function quotedBytes(text: string): Buffer {
  const plain = text
    .replaceAll('_', ' ')
    .replaceAll(/=([\da-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
  return Buffer.from(plain, 'latin1')
}
