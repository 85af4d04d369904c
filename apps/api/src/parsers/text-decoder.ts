import { createReadStream } from 'node:fs'
import { analyse } from 'chardet'
import { withBytes } from './file-bytes.ts'

/** Decoder of text files in any encoding. */
interface Texts {
  /** Encoding of the text, as TextDecoder names it. */
  encodingOf(filename: string, signal: AbortSignal): Promise<string>
  isUtf8(filename: string, signal: AbortSignal): Promise<boolean>
  /** The text in chunks of some ten thousand characters, with \n as line ends and without a byte order mark. */
  decode(filename: string, encoding: string, signal: AbortSignal): AsyncIterable<string>
}

/** Bytes decoded before yielding to the event loop. */
const PIECE_BYTES = 64 * 1024
/** Enough to detect language and encoding, within a few milliseconds. */
const SAMPLE_BYTES = 16 * 1024
/** Minimum confidence of a guess, 0 to 100; below it, the fallback is likelier. */
const MIN_CONFIDENCE = 40
const FALLBACK_ENCODING = 'windows-1252'

export const texts: Texts = {
  async encodingOf(filename, signal) {
    const mark = encodingOfMark(await readAt(filename, 0, 4))
    if (mark !== null) return mark
    const firstNonAscii = await firstNonAsciiUnlessUtf8(filename, signal)
    if (firstNonAscii === null && isEscapedJapanese(await readAt(filename, 0, SAMPLE_BYTES))) return 'iso-2022-jp'
    if (firstNonAscii === null || (await isMostlyUtf8(piecesOf(filename, signal)))) return 'utf-8'
    return guess(await readAt(filename, firstNonAscii, SAMPLE_BYTES))
  },

  isUtf8: async (filename, signal) => (await firstNonAsciiUnlessUtf8(filename, signal)) === null,

  async *decode(filename, encoding, signal) {
    const decoder = new TextDecoder(encoding)
    // a piece may end within a line end or a terminal's sequence
    let carried = ''
    for await (const piece of piecesOf(filename, signal)) {
      const text = carried + decoder.decode(piece, { stream: true })
      carried = UNFINISHED.exec(text.slice(-MAX_UNFINISHED))?.[0] ?? ''
      yield asPlainText(text.slice(0, text.length - carried.length))
    }
    yield asPlainText(carried + decoder.decode())
  },
}

/** Text of bytes in memory, in any encoding. */
export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder(encodingOfText(bytes)).decode(bytes)
}

/** Text of a few words, too short to detect its encoding: UTF-8, or the Western encoding of older programs. */
export function decodeShortText(bytes: Uint8Array): string {
  const mark = encodingOfMark(bytes)
  if (mark !== null) return new TextDecoder(mark).decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder(FALLBACK_ENCODING).decode(bytes)
  }
}

/** Bytes of a text in quoted-printable (RFC 2045). */
export function quotedBytes(text: string): Buffer {
  const bytes = text.replaceAll(/=([\da-f]{2})/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  )
  return Buffer.from(bytes, 'latin1')
}

/** Decoder of a charset by its name; Western for an unknown one. */
export function decoderOf(charset: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder(FALLBACK_ENCODING)
  }
}

/**
 * Encoding of bytes in memory, as TextDecoder names it.
 * @param charactersPerFault valid non-ASCII characters for each fault that make a text UTF-8.
 */
export function encodingOfText(bytes: Uint8Array, charactersPerFault = MIN_CHARACTERS_PER_FAULT): string {
  const mark = encodingOfMark(bytes)
  if (mark !== null) return mark
  const faultCounter = createFaultCounter()
  faultCounter.add(bytes)
  const firstNonAscii = bytes.findIndex((byte) => byte >= 0x80)
  if (firstNonAscii < 0 && isEscapedJapanese(bytes.subarray(0, SAMPLE_BYTES))) return 'iso-2022-jp'
  if (faultCounter.isUtf8(charactersPerFault)) return 'utf-8'
  return guess(bytes.subarray(firstNonAscii, firstNonAscii + SAMPLE_BYTES))
}

/** Encoding of a byte order mark; null without one. */
export function encodingOfMark([first, second, third]: Uint8Array): string | null {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : null
}

const piecesOf = (filename: string, signal: AbortSignal): AsyncIterable<Uint8Array> =>
  createReadStream(filename, { highWaterMark: PIECE_BYTES, signal })

/** True for UTF-8 with few faults, such as a text that was cut inside a character or put together from several. */
async function isMostlyUtf8(pieces: AsyncIterable<Uint8Array>): Promise<boolean> {
  const faultCounter = createFaultCounter()
  for await (const piece of pieces) faultCounter.add(piece)
  return faultCounter.isUtf8()
}

/** Minimum of valid non-ASCII characters per fault in UTF-8; texts in other encodings have hardly any. */
const MIN_CHARACTERS_PER_FAULT = 2

function createFaultCounter() {
  const decoder = new TextDecoder()
  let [characters, faults] = [0, 0]
  const addText = (text: string) => {
    characters += text.match(/[^\p{ASCII}\ufffd]/gu)?.length ?? 0
    faults += text.match(/\ufffd+/g)?.length ?? 0
  }
  return {
    add: (bytes: Uint8Array) => addText(decoder.decode(bytes, { stream: true })),
    isUtf8(charactersPerFault = MIN_CHARACTERS_PER_FAULT): boolean {
      addText(decoder.decode())
      return characters >= charactersPerFault * faults
    },
  }
}

/** Colours, titles and links of terminals, as in logs. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal's sequences start with them
const TERMINAL_SEQUENCE = /\x1b(?:[()][\dAB]|\[[0-?]{0,100}[ -/]{0,10}[@-~]|\][^\x07\x1b]{0,2000}(?:\x07|\x1b\\))/g
/** Beginning of a line end, or of a terminal's sequence, at the end of a piece. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal's sequences start with them
const UNFINISHED = /(?:\r\r?|\x1b(?:[()]|\[[0-?]{0,100}[ -/]{0,10}|\][^\x07\x1b]{0,2000}\x1b?)?)$/
/** Longer than any match of UNFINISHED. */
const MAX_UNFINISHED = 2_100

function asPlainText(text: string): string {
  return text
    .replace(TERMINAL_SEQUENCE, '')
    .replace(/\r\r?\n|\r/g, '\n')
    .replaceAll('\0', '')
}

/** True for the escape sequences of ISO-2022-JP, whose bytes are all ASCII. */
function isEscapedJapanese(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes).toString('latin1')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ISO-2022-JP changes its character set by them
  return /\x1b\$[@B](?:[!-~]{2}){1,2000}\x1b\([BJ]/.test(text)
}

const readAt = (filename: string, position: number, length: number) =>
  withBytes(filename, ({ read }) => read(position, length))

/** Position of a file's first byte that isn't ASCII; null when the whole file is UTF-8. */
async function firstNonAsciiUnlessUtf8(filename: string, signal: AbortSignal): Promise<number | null> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let position = 0
  let firstNonAscii: number | null = null
  for await (const bytes of piecesOf(filename, signal)) {
    if (firstNonAscii === null) {
      const index = bytes.findIndex((byte) => byte >= 0x80)
      if (index >= 0) firstNonAscii = position + index
    }
    position += bytes.length
    try {
      decoder.decode(bytes, { stream: true })
    } catch {
      return firstNonAscii ?? 0
    }
  }
  try {
    decoder.decode()
    return null
  } catch {
    return firstNonAscii ?? 0
  }
}

const isThaiConsonant = (byte = 0) => byte >= 0xa1 && byte <= 0xce
/** True for a vowel or tone above or below the consonant before it. */
const isThaiMark = (byte = 0) => byte === 0xd1 || (byte >= 0xd4 && byte <= 0xda) || (byte >= 0xe7 && byte <= 0xee)
/** True for a vowel that precedes its consonant. */
const isThaiVowel = (byte = 0) => byte >= 0xe0 && byte <= 0xe4

const MIN_THAI_BYTES = 20
/** Minimum share of bytes that need a consonant beside them; Thai has 0.25 and more. */
const MIN_THAI_NEEDS = 0.2
/** Maximum share of these without it; other texts with as many of them have 0.1 and more. */
const MAX_THAI_FAULTS = 0.03

/** True for Thai (windows-874, TIS-620), which the recognisers take for an East Asian or Western encoding. */
function isThai(sample: Uint8Array): boolean {
  let [bytes, needs, faults] = [0, 0, 0]
  for (const [index, byte] of sample.entries()) {
    if (byte >= 0x80) bytes++
    // a consonant has at most two marks
    const before = isThaiMark(sample[index - 1]) ? sample[index - 2] : sample[index - 1]
    const needsBefore = isThaiMark(byte)
    const needsAfter = isThaiVowel(byte) && index + 1 < sample.length
    if (needsBefore || needsAfter) needs++
    if (needsBefore && !isThaiConsonant(before)) faults++
    if (needsAfter && !isThaiConsonant(sample[index + 1])) faults++
  }
  const isLikely = bytes >= MIN_THAI_BYTES && needs >= MIN_THAI_NEEDS * bytes && faults <= MAX_THAI_FAULTS * needs
  return isLikely && !isPaired(sample)
}

/** True when marks and vowels are only second bytes of pairs, as in Korean and Japanese; Thai has them anywhere. */
function isPaired(sample: Uint8Array): boolean {
  let offset = 0
  for (const byte of sample) {
    if (byte < 0x80) {
      if (offset % 2 === 1) return false
      offset = 0
      continue
    }
    if (offset % 2 === 0 && (isThaiMark(byte) || isThaiVowel(byte))) return false
    offset++
  }
  // the sample's end may cut the last pair
  return true
}

function guess(sample: Uint8Array): string {
  if (isThai(sample)) return 'windows-874'
  for (const { name, confidence } of analyse(sample)) {
    if (confidence < MIN_CONFIDENCE) break
    // The sample isn't UTF-8, and TextDecoder doesn't know all encodings.
    if (/^(ASCII|UTF-)/.test(name) || !isKnown(name)) continue
    return new TextDecoder(name).encoding
  }
  return FALLBACK_ENCODING
}

function isKnown(name: string): boolean {
  try {
    return new TextDecoder(name).encoding !== ''
  } catch {
    return false
  }
}
