import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { encodingOfMark, encodingOfText, texts } from './text-decoder.ts'

const SNIFFED_BYTES = 16 * 1024
const DETECTION_TIMEOUT_MS = 60_000

/** Encoding of a page: byte order mark, server's, declared in its head, or guessed from its bytes, in this order. */
export async function encodingOfHtml(filename: string, serverCharset: string | null = null): Promise<string> {
  let beginning = Buffer.alloc(0)
  for await (const piece of createReadStream(filename, { end: SNIFFED_BYTES - 1 })) {
    beginning = Buffer.concat([beginning, piece as Buffer])
  }
  const encoding = statedEncoding(beginning, serverCharset)
  const signal = AbortSignal.timeout(DETECTION_TIMEOUT_MS)
  // other encodings decode any bytes, but texts in them are hardly ever valid UTF-8
  const isSure =
    encoding !== null && encoding !== 'utf-8' && (is7Bit(encoding) || !(await texts.isUtf8(filename, signal)))
  return isSure ? encoding : texts.encodingOf(filename, signal)
}

const is7Bit = (encoding: string) => encoding.startsWith('iso-2022')

/** Encoding that a page or feed or its server states; null when none does. */
function statedEncoding(beginning: Buffer, serverCharset: string | null = null): string | null {
  const mark = encodingOfMark(beginning)
  if (mark !== null) return mark
  const served = encodingNamed(serverCharset)
  if (served !== null) return served
  const head = beginning.toString('latin1')
  const [, declared] =
    /^\s*<\?xml[^>]+encoding\s*=\s*["']([\w-]+)/i.exec(head) ??
    /<meta[^<>]+charset\s*=\s*["']?([\w-]+)/i.exec(head) ??
    []
  const encoding = encodingNamed(declared)
  // a declaration that was read byte by byte isn't in UTF-16, though Office calls its pages "unicode"
  return encoding?.startsWith('utf-16') ? null : encoding
}

/** Canonical name of an encoding; null for none, or an unknown one. */
function encodingNamed(name: string | null | undefined): string | null {
  if (!name) return null
  try {
    return new TextDecoder(name).encoding
  } catch {
    return null
  }
}

/** Encoding of a page or feed that is in memory. */
export function encodingOfPage(bytes: Uint8Array, serverCharset: string | null = null): string {
  const encoding = statedEncoding(Buffer.from(bytes.subarray(0, SNIFFED_BYTES)), serverCharset)
  if (encoding === null) return encodingOfText(bytes)
  const isValidUtf8 = isUtf8(bytes)
  // Excerpts that were cut inside a character make faults in UTF-8; texts in other encodings have hardly any valid character.
  if (encoding === 'utf-8') return isValidUtf8 ? encoding : encodingOfText(bytes, 1)
  // Letters of ASCII in UTF-16 are valid UTF-8 with zeros between them.
  const isUtf16 = encoding.startsWith('utf-16') && bytes.subarray(0, SNIFFED_BYTES).includes(0)
  return isUtf16 || is7Bit(encoding) || !isValidUtf8 ? encoding : encodingOfText(bytes)
}

export const decodePage = (bytes: Uint8Array, serverCharset: string | null = null): string =>
  new TextDecoder(encodingOfPage(bytes, serverCharset)).decode(bytes)
