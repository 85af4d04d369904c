import { decompressRTF } from '@kenjiuno/decompressrtf'
import { decoderOfCodePage } from './compound-file.ts'

/** Contents of a `winmail.dat` written by Outlook: a second copy of the message, and its attachments. */
interface OutlookMessage {
  subject: string | null
  text: string | null
  html: string | null
  rtf: Uint8Array | null
  attachments: { name: string | null; content: Uint8Array }[]
}

const SIGNATURE = 0x223e9f78
const MAX_ATTACHMENTS = 500
const MAX_PROPERTIES = 10_000
/** Limit of decompressed rich text, which no genuine message exceeds. Rich text grows at most ninefold. */
const MAX_RICH_TEXT_BYTES = 8 * 1024 * 1024

/** Attributes of MS-OXTNEF, without their types. */
const attribute = {
  subject: 0x8004,
  body: 0x800c,
  beginAttachment: 0x9002,
  attachmentName: 0x8010,
  attachmentContent: 0x800f,
  messageProperties: 0x9003,
  attachmentProperties: 0x9005,
  codePage: 0x9007,
}
/** Properties of MS-OXPROPS. */
const property = {
  subject: 0x0037,
  text: 0x1000,
  html: 0x1013,
  richText: 0x1009,
  attachmentName: 0x3707,
  displayName: 0x3001,
  content: 0x3701,
  internetCodePage: 0x3fde,
}
const UNICODE = 0x1f
const OBJECT = 0x0d
const BINARY = 0x102
const MULTIPLE = 0x1000
const IS_NAMED = 0x8000
const NAME_IS_TEXT = 1
/** Bytes of fixed-size values, padded to multiples of four. */
const fixedSizes: Record<number, number> = {
  ...{ 2: 4, 3: 4, 4: 4, 5: 8, 6: 8, 7: 8, 10: 4, 11: 4, 20: 8 },
  ...{ 64: 8, 72: 16 },
}

/** True for the bytes of a `winmail.dat`, whatever its name. */
export const isTnef = (bytes: Uint8Array): boolean => bytes.length > 6 && viewOf(bytes).getUint32(0, true) === SIGNATURE

/** The message and attachments of a `winmail.dat`; a damaged file is read up to the damage. */
export function readTnef(bytes: Uint8Array): OutlookMessage {
  const message: OutlookMessage = { subject: null, text: null, html: null, rtf: null, attachments: [] }
  let codePage = 'windows-1252'
  for (const { id, content } of attributesOf(bytes)) {
    const last = message.attachments.at(-1)
    if (id === attribute.codePage && content.length >= 4)
      codePage = decoderOfCodePage(viewOf(content).getUint32(0, true)).encoding
    else if (id === attribute.subject) message.subject ??= decodeText(content, codePage)
    else if (id === attribute.body) message.text ??= decodeText(content, codePage)
    else if (id === attribute.messageProperties) applyMessageProperties(message, content, codePage)
    else if (id === attribute.beginAttachment) {
      if (message.attachments.length < MAX_ATTACHMENTS)
        message.attachments.push({ name: null, content: new Uint8Array() })
    } else if (last === undefined) continue
    else if (id === attribute.attachmentName) last.name ??= decodeText(content, codePage)
    else if (id === attribute.attachmentContent) last.content = content
    else if (id === attribute.attachmentProperties) applyAttachmentProperties(last, content, codePage)
  }
  message.attachments = message.attachments.filter(({ content }) => content.length > 0)
  return message
}

function applyMessageProperties(message: OutlookMessage, properties: Uint8Array, codePage: string): void {
  let htmlBytes: Uint8Array | null = null
  let htmlCharset = codePage
  for (const { id, type, value } of propertiesOf(properties)) {
    const text = () => (type === UNICODE ? decodeText(value, 'utf-16le') : decodeText(value, codePage))
    if (id === property.subject) message.subject = text()
    else if (id === property.text) message.text = text()
    else if (id === property.internetCodePage && value.length >= 4)
      htmlCharset = decoderOfCodePage(viewOf(value).getUint32(0, true)).encoding
    else if (id === property.html && type === BINARY) htmlBytes = value
    else if (id === property.html) message.html = text()
    else if (id === property.richText) message.rtf = decompressRichText(value)
  }
  if (htmlBytes !== null) message.html = decodeText(htmlBytes, htmlCharset)
}

function applyAttachmentProperties(
  attachment: OutlookMessage['attachments'][number],
  properties: Uint8Array,
  codePage: string,
): void {
  let isLongName = false
  for (const { id, type, value } of propertiesOf(properties)) {
    if (id === property.attachmentName || (id === property.displayName && !isLongName)) {
      isLongName ||= id === property.attachmentName
      attachment.name = decodeText(value, type === UNICODE ? 'utf-16le' : codePage)
    } else if (id === property.content && attachment.content.length === 0) {
      // the message in an embedded object comes after the 16 bytes of the object's type
      attachment.content = type === OBJECT ? value.subarray(16) : value
    }
  }
}

function* attributesOf(bytes: Uint8Array): Generator<{ id: number; content: Uint8Array }> {
  const view = viewOf(bytes)
  let offset = 6
  // before the content: its level (1 byte), id (2), type (2) and length (4); after it: a checksum (2)
  while (offset + 9 <= bytes.length) {
    const length = view.getUint32(offset + 5, true)
    const content = bytes.subarray(offset + 9, offset + 9 + length)
    if (content.length < length) return
    yield { id: view.getUint16(offset + 1, true), content }
    offset += 9 + length + 2
  }
}

function* propertiesOf(bytes: Uint8Array): Generator<{ id: number; type: number; value: Uint8Array }> {
  const view = viewOf(bytes)
  let offset = 0
  const take = () => {
    offset += 4
    return view.getUint32(offset - 4, true)
  }
  const takeSized = () => {
    const length = take()
    const value = bytes.subarray(offset, offset + length)
    offset += Math.ceil(length / 4) * 4
    return value
  }
  try {
    for (let left = Math.min(take(), MAX_PROPERTIES); left > 0; left--) {
      const typeAndId = take()
      const [kind, id] = [typeAndId & 0xffff, typeAndId >>> 16]
      const type = kind & ~MULTIPLE
      if (id >= IS_NAMED) {
        offset += 16
        if (take() === NAME_IS_TEXT) takeSized()
        else offset += 4
      }
      const size = fixedSizes[type]
      const values = size === undefined || kind !== type ? take() : 1
      for (let n = 0; n < values; n++) {
        const value = size === undefined ? takeSized() : bytes.subarray(offset, offset + size)
        if (size !== undefined) offset += size
        if (offset > bytes.length) return
        if (n === 0) yield { id, type, value }
      }
    }
  } catch (error) {
    // truncated: the properties read so far are kept
    if (!(error instanceof RangeError)) throw error
  }
}

function decompressRichText(compressed: Uint8Array): Uint8Array | null {
  if (compressed.length < 16) return null
  const view = viewOf(compressed)
  // decompressRTF trusts both lengths
  if (view.getUint32(0, true) + 4 > compressed.length || view.getUint32(4, true) > MAX_RICH_TEXT_BYTES) return null
  try {
    return Uint8Array.from(decompressRTF([...compressed]))
  } catch {
    // valid neither as compressed nor as plain rich text
    return null
  }
}

function decodeText(bytes: Uint8Array, charset: string): string {
  const [text = ''] = new TextDecoder(charset).decode(bytes).split('\0', 1)
  return text.trim()
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
