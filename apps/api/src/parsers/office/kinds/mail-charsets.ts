import { encodingOfPage } from '../../markup-encoding.ts'
import { decoderOf, encodingOfText, quotedBytes } from '../../text-decoder.ts'

/** Encoded words (RFC 2047) that follow one another, separated by blanks or a folded line. */
const ENCODED_WORDS = /=\?[^?\s]+\?[bq]\?[^?\s]*\?=(?:\s+=\?[^?\s]+\?[bq]\?[^?\s]*\?=)+/gi
const ENCODED_WORD = /=\?([^?\s]+)\?([bq])\?([^?\s]*)\?=/gi
export const MAX_HEADER_BYTES = 256 * 1024

/**
 * Rewrites a mail for any parser to decode: header bytes of older encodings become UTF-8, encoded words that end inside a
 * character are joined, and texts without a charset get that of their bytes.
 */
export function withCharsets(mail: Uint8Array): Uint8Array {
  const text = Buffer.from(mail.buffer, mail.byteOffset, mail.length).toString('latin1')
  const [firstPart = { text: '', boundary: '' }, ...parts] = partsOf(text)
  const { headers, body } = splitPart(firstPart.text)
  // parts of a digest are mails unless they say otherwise
  const isDigest = /multipart\/digest/i.test(text)
  const partsWithCharset = parts.map((part) => (isDigest ? part.text : partWithCharset(part.text)) + part.boundary)
  return Buffer.concat([
    Buffer.from(withCharset(asUnicode(headers).replaceAll(ENCODED_WORDS, joinWords), body)),
    ...[body, firstPart.boundary, ...partsWithCharset].map((part) => Buffer.from(part, 'latin1')),
  ])
}

/** Declaration of the line between the parts of a mail, or of one of its parts (RFC 2046, 5.1.1). */
const BOUNDARY = /boundary\s*=\s*(?:"([^"\n]+)"|([^\s;"]+))/gi

/** More parts are left out: each takes a kilobyte of memory. */
const MAX_PARTS = 10_000
const MAX_BOUNDARIES = 1_000
/** Beginning of a text, from which its encoding is detected. */
const MAX_SAMPLE_CHARACTERS = 1_000_000

interface Part {
  text: string
  /** From the line that ends it to the one that begins the next part. */
  boundary: string
}

/** A mail's own headers and text, then its parts, each after the line that begins it. */
function partsOf(mail: string): Part[] {
  const boundaries = new Set<string>()
  for (const [, quoted, plain = ''] of mail.matchAll(BOUNDARY)) {
    if (boundaries.size === MAX_BOUNDARIES) break
    boundaries.add(quoted ?? plain)
  }
  const parts: Part[] = []
  let [start, textEnd] = [0, mail.length]
  for (const { index, 1: line = '' } of boundaries.size === 0 ? [] : mail.matchAll(/\n--([^\n]*)/g)) {
    const boundary = line.trimEnd()
    const isBeginning = boundaries.has(boundary)
    if (!isBeginning && !boundaries.has(boundary.replace(/--$/, ''))) continue
    textEnd = Math.min(textEnd, Math.max(start, index))
    if (!isBeginning) continue
    if (parts.length === MAX_PARTS) return parts
    const end = index + 4 + line.length
    parts.push({ text: mail.slice(start, textEnd), boundary: mail.slice(textEnd, end) })
    ;[start, textEnd] = [end, mail.length]
  }
  return [...parts, { text: mail.slice(start, textEnd), boundary: mail.slice(textEnd) }]
}

/** Splits a part at its blank line, or after MAX_HEADER_BYTES; the body begins with the blank line. */
function splitPart(part: string): { headers: string; body: string } {
  const end =
    /^(?=\r?\n)|\r?\n(?=\r?\n)/.exec(part.slice(0, MAX_HEADER_BYTES))?.index ?? Math.min(part.length, MAX_HEADER_BYTES)
  return { headers: part.slice(0, end), body: part.slice(end) }
}

function partWithCharset(part: string): string {
  const { headers, body } = splitPart(part)
  return withCharset(headers, body) + body
}

/** Adds the detected charset to the headers of a text that states none, as older programs sent it. */
function withCharset(headers: string, body: string): string {
  const type = /^content-type:[^\n]*(?:\n[ \t][^\n]*)*/im.exec(headers)?.[0]
  const stated = CHARSET.exec(type ?? '')
  const isText = type === undefined || /^content-type:\s*text\//i.test(type)
  if (!isText || (stated !== null && !NO_CHARSET.test(stated[1] ?? ''))) return headers
  const charset = encodingOfBody(headers, body.slice(0, MAX_SAMPLE_CHARACTERS))
  if (type === undefined)
    return charset === 'utf-8' ? headers : `Content-Type: text/plain; charset=${charset}\n${headers}`
  const unstated = type.replace(CHARSET, '').trimEnd().replace(/;$/, '')
  return headers.replace(type, () => `${unstated}; charset=${charset}`)
}

/** The charset in a content type. */
const CHARSET = /;\s*charset\s*=\s*"?([^\s";]*)"?/i
/** Meaningless charsets: ASCII, which programs declare for any bytes, and placeholders. */
const NO_CHARSET =
  /^(?:(?:us-?)?ascii|ansi_x3\.4-19\d\d|(?:x-)?(?:unknown|default|user-defined)(?:-8bit)?|8bit|none)?$/i

function encodingOfBody(headers: string, beginning: string): string {
  const transferEncoding = /^content-transfer-encoding:\s*(\S+)/im.exec(headers)?.[1] ?? ''
  const bytes = /base64/i.test(transferEncoding)
    ? Buffer.from(beginning, 'base64')
    : /quoted-printable/i.test(transferEncoding)
      ? quotedBytes(beginning.replaceAll(/=\r?\n/g, ''))
      : Buffer.from(beginning, 'latin1')
  return /^content-type:\s*text\/html/im.test(headers) ? encodingOfPage(bytes) : encodingOfText(bytes)
}

function asUnicode(text: string): string {
  const bytes = Buffer.from(text, 'latin1')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    const charset = /^content-type:(?:[^\n]|\n[ \t])*charset="?([\w-]+)/im.exec(text)?.[1]
    const decoder = decoderOf(charset ?? 'windows-1252')
    return (decoder.encoding === 'utf-8' ? decoderOf('windows-1252') : decoder).decode(bytes)
  }
}

/** Joins the bytes of neighbouring words in the same charset before they are decoded. */
function joinWords(words: string): string {
  const parts: { charset: string; bytes: Buffer[] }[] = []
  for (const [, charset = '', encoding = '', text = ''] of words.matchAll(ENCODED_WORD)) {
    const bytes = encoding.toLowerCase() === 'b' ? Buffer.from(text, 'base64') : quotedBytes(text.replaceAll('_', ' '))
    const last = parts.at(-1)
    if (last?.charset.toLowerCase() === charset.toLowerCase()) last.bytes.push(bytes)
    else parts.push({ charset, bytes: [bytes] })
  }
  return parts.map(({ charset, bytes }) => `=?${charset}?B?${joinBytes(bytes).toString('base64')}?=`).join(' ')
}

/** Bytes of words, without the escape sequence between two words, which decoders treat as an error. */
function joinBytes(words: Buffer[]): Buffer {
  const bytes = Buffer.concat(words).toString('latin1')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ISO-2022-JP changes its character set by them
  return Buffer.from(bytes.replaceAll(/\x1b\([BJ](?=\x1b[$(])/g, ''), 'latin1')
}
