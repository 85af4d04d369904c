/** Kind of text: web pages, SVG pictures and playlists are text, too. */
export type TextKind =
  | 'plain'
  | 'HTML'
  /** Starts with an element of web pages, not enough to distinguish it from Markdown. */
  | 'markup'
  | 'SVG'
  | 'XML'
  /** Notes as Evernote exports them. */
  | 'notes'
  /** Workbook in the XML format of Excel 2003, which other programs write, too. */
  | 'workbook'
  | 'playlist'
  | 'RTF'
  | 'PostScript'
  | 'mail'
  | 'mailbox'
  /** Starts with mail headers, not enough to distinguish it from a letter. */
  | 'headers'

/** The beginning and the end of a file. */
export interface TextSample {
  head: Uint8Array
  /** Empty when the head is the whole file. */
  tail: Uint8Array
}

/** Minimum share of ASCII in bytes of an unknown encoding that still count as text. */
const MIN_ASCII = 0.1
/** Older encodings of languages written without spaces, whose texts may have hardly any ASCII. */
const unspacedEncodings = ['gb18030', 'euc-jp', 'shift_jis', 'big5', 'euc-kr', 'windows-874']
/** Characters that decoders make of bytes without a meaning. */
const NO_LETTERS = /[\p{Co}\p{Cn}\x80-\x9f]/u
/** Bytes below this are never the second of a character in these encodings. */
const FIRST_SECOND_BYTE = 0x30
/** A character of UTF-8 has at most this many bytes after its first. */
const MAX_CONTINUATION_BYTES = 3

/**
 * True for what is certainly text: Unicode (UTF-8, or UTF-16 with a byte order mark) without control characters. No
 * picture, video or recording passes.
 */
export function isUnicodeText({ head, tail }: TextSample): boolean {
  const encoding = encodingOf(head)
  const end = encoding === 'utf-8' ? afterContinuation(tail) : tail
  return decodes(encoding, head) && (end.length === 0 || decodes(encoding, end))
}

/** True when bytes may be text in an older encoding with one or two bytes per character. */
export function mayBeOlderText({ head, tail }: TextSample): boolean {
  if (head.some(isControl) || tail.some(isControl)) return false
  if (hasAscii(head) && hasAscii(tail)) return true
  // the tail may start within a character
  const end = tail.subarray(tail.findIndex((byte) => byte < FIRST_SECOND_BYTE) + 1)
  return unspacedEncodings.some((encoding) => decodes(encoding, head, NO_LETTERS) && decodes(encoding, end, NO_LETTERS))
}

function hasAscii(bytes: Uint8Array): boolean {
  let ascii = 0
  for (const byte of bytes) if (byte < 0x80) ascii++
  return ascii >= MIN_ASCII * bytes.length
}

/** Beginning of XML, or of an Excel 2003 workbook without a declaration. */
const XML = /^<(?:\?xml\b|(?:\w+:)?Workbook\s)/
const WORKBOOK = /<(?:\w+:)?Workbook\s[^<>]*urn:schemas-microsoft-com:office:spreadsheet/

/** Kind of text by its beginning. */
export function textKindOf(head: Uint8Array): TextKind {
  const beginning = new TextDecoder(encodingOf(head))
    .decode(head.subarray(0, 4096))
    .replace(/<!--[\s\S]*?-->/g, '')
    .trimStart()
  if (beginning.startsWith('#EXTM3U')) return 'playlist'
  if (beginning.startsWith('{\\rtf')) return 'RTF'
  if (beginning.startsWith('%!PS')) return 'PostScript'
  if (/^<(?:!doctype\s+html|html|head|body|script|iframe)\b/i.test(beginning)) return 'HTML'
  if (/^(?:<\?xml\b[^>]*>\s*)?(?:<!doctype\s+svg[^>]*>\s*)?<svg\b/i.test(beginning)) return 'SVG'
  if (/^(?:<\?xml\b[^>]*>\s*)?(?:<!doctype\s+en-export[^>]*>\s*)?<en-export\b/i.test(beginning)) return 'notes'
  if (XML.test(beginning) && WORKBOOK.test(beginning)) return 'workbook'
  if (/^<\?xml\b/.test(beginning)) return 'XML'
  if (/^<(?:table|meta|title|style|div|center|p|h\d)\b/i.test(beginning)) return 'markup'
  return mailKindOf(beginning.replace(MAIL_LENGTH, '')) ?? 'plain'
}

/** Headers that are usual in mails; three of them, including a From or Received, identify a mail. */
export const MAIL_HEADERS =
  /^(?:return-path|received|delivered-to|message-id|mime-version|date|from|to|subject|reply-to|dkim-signature|x-[\w-]+|content-type|arc-seal|authentication-results):/i

/** First line of a mail stored by Apple Mail: the mail's length in bytes. */
export const MAIL_LENGTH = /^(\d{1,10})[ \t]*\r?\n/
/** Line before each mail of a mailbox. */
export const MAIL_SEPARATOR = /^From \S.*\d:\d\d/
/** Undated separator of Google and Netscape, with just an address or a hyphen. */
export const UNDATED_SEPARATOR = /^From (?:[^\s@]+@\S+\s*$|-\s*$)/

/** Kind of mail at the beginning of a text: one mail, a mailbox or headers; null for other texts. */
function mailKindOf(beginning: string): 'mail' | 'mailbox' | 'headers' | null {
  const [first = ''] = beginning.split('\n', 1)
  const isMailbox = MAIL_SEPARATOR.test(first) || UNDATED_SEPARATOR.test(first)
  const [headers = ''] = beginning.split(/\r?\n\r?\n/, 1)
  const lines = headers.split(/\r?\n/).slice(isMailbox ? 1 : 0)
  const isHeader = (line: string) => /^[!-9;-~]+:/.test(line) || /^[ \t]/.test(line)
  const names = new Set(lines.flatMap((line) => MAIL_HEADERS.exec(line)?.[0].toLowerCase() ?? []))
  if (names.size === 0) return null
  // browsers save pages as mails without a sender
  const isMime = names.has('mime-version:') && names.has('content-type:')
  const isMail = isMime || (names.size >= 3 && (names.has('from:') || names.has('received:')))
  // the last line may be cut
  if (!lines.slice(0, -1).every(isHeader)) return isMail && isHeader(lines[0] ?? '') ? 'headers' : null
  return isMail ? (isMailbox ? 'mailbox' : 'mail') : isMailbox ? null : 'headers'
}

function encodingOf(head: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  return head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : 'utf-8'
}

function decodes(encoding: string, bytes: Uint8Array, forbidden?: RegExp): boolean {
  try {
    // the last character may be cut
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true })
    for (let offset = 0; offset < text.length; offset++) if (isControl(text.charCodeAt(offset))) return false
    return forbidden?.test(text) !== true
  } catch {
    return false
  }
}

/** Skips the rest of a character in which the tail sample starts. */
function afterContinuation(bytes: Uint8Array): Uint8Array {
  let start = 0
  while (start < MAX_CONTINUATION_BYTES && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++
  return bytes.subarray(start)
}

/**
 * True for bytes that no text contains; bells, tabs, line and page breaks, terminal colours and DOS's end of file
 * are allowed.
 */
function isControl(code: number): boolean {
  return (code < 0x20 && !(code >= 0x07 && code <= 0x0d) && code !== 0x1a && code !== 0x1b) || code === 0x7f
}
