import { createReadStream } from 'node:fs'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { fileFormats } from '@mira/shared/constants/formats'
import { fileTypeFromBuffer } from 'file-type'
import PostalMime, { type Address, type Attachment, type Email } from 'postal-mime'
import { withBytes } from '../../file-bytes.ts'
import { decodePage } from '../../markup-encoding.ts'
import { MAIL_HEADERS, MAIL_LENGTH, MAIL_SEPARATOR, UNDATED_SEPARATOR } from '../../sniff/sniff-text.ts'
import { decodeText } from '../../text-decoder.ts'
import { contactsIn, eventsIn } from '../calendar.ts'
import { type DocumentMetadata, type DocumentParser, dateOf } from '../document-parser.ts'
import { type AttachedFormat, attachedFormatOf, attachedFormats, DocumentError } from '../document-types.ts'
import { createDocumentWriter, type DocumentWriter, readPart } from '../document-writer.ts'
import { invoiceIn } from '../invoice.ts'
import { inPieces, readMarkup, withOwnPicturesOnly } from './html.ts'
import { MAX_HEADER_BYTES, withCharsets } from './mail-charsets.ts'
import { isTnef, readTnef } from './tnef.ts'
import { extractUuencoded } from './uuencode.ts'

/** Bounds on the bytes of a mail. */
interface MailLimits {
  /** Base64 of an attachment; a larger one is dropped before the mail is parsed, and only its name is listed. */
  encoded: number
  /** The whole mail. */
  all: number
}
/** A process has memory for one mail of this size. */
export const MAX_MAIL_BYTES = 10 * 1024 * 1024
const mailLimits: MailLimits = { encoded: MAX_MAIL_BYTES, all: MAX_MAIL_BYTES }
/** Attachments in a mailbox of thousands are less important than the mails' own text. */
const mailboxLimits: MailLimits = { encoded: 512 * 1024, all: 8 * 1024 * 1024 }
const MAX_PART_DEPTH = 50
/** Forwarded mails are attached to one another. */
const MAX_MAIL_DEPTH = 10
const MAX_TNEF_DEPTH = 5
const MAX_NAMES = 30
/** Part of the HTML that is compared with the plain text. */
const MAX_COMPARED_CHARACTERS = 1_000_000
/** Ratio of letters above which the HTML is read instead of the plain text. */
const RICHER_RATIO = 2
const MAX_STUB_LETTERS = 300
/** Notices for programs that only show plain text. */
const STUB =
  /\b(?:html[\s-]*(?:capable|compatible|e-?mail|format|version|message|mail)|in (?:your|a|ihrem|einem|su|votre) (?:browser|navegador|navigateur)|view (?:it|this (?:e-?mail|message)) )/i

/** One mail. */
export const readMail: DocumentParser = async (filename, writer, report) => {
  for await (const content of mailsOf(filename)) {
    const mail = await parseMail(content)
    report(factsOf(mail))
    await writeMail(mail, writer)
  }
}

const factsOf = ({ subject, from, date }: Email): DocumentMetadata => ({
  title: subject ?? null,
  author: from ? namesOf([from]) : null,
  createdAt: dateOf(date),
})

/** The mails of a mailbox, one after the other; a single mail, as some programs save it, provides the metadata. */
export const readMailbox: DocumentParser = async (filename, writer, report) => {
  let mails = 0
  for await (const content of mailsOf(filename, { isMailbox: true })) {
    if (isDeleted(content)) continue
    await readPart(writer, 'mail', async () => {
      const mail = await parseMail(content)
      mails++
      report(mails === 1 ? factsOf(mail) : {})
      writer.page(mail.subject)
      await writeMail(mail, writer)
    })
    await yieldToEventLoop()
  }
}

/** Bit of Thunderbird's status for deleted mails, which stay in the file until it is compacted. */
const EXPUNGED = 0x0008

function isDeleted(mail: Buffer): boolean {
  const [headers = ''] = mail.toString('latin1', 0, MAX_HEADER_BYTES).split('\n\n', 1)
  const status = /^x-mozilla-status:\s*([\da-f]{4})\b/im.exec(headers)?.[1] ?? '0'
  return (Number.parseInt(status, 16) & EXPUNGED) !== 0
}

/** Writes a page saved as a mail with its pictures (MHTML). */
export async function readWebArchive(content: Uint8Array, writer: DocumentWriter): Promise<void> {
  const { html, text = '' } = await parseMail(content)
  if (html === undefined) writer.text(text)
  else await readMarkup(inPieces(html), 'html', withOwnPicturesOnly(writer))
}

async function parseMail(content: Uint8Array): Promise<Email> {
  try {
    const mail = await PostalMime.parse(withCharsets(content), {
      maxNestingDepth: MAX_PART_DEPTH,
      forceRfc822Attachments: true,
    })
    return unpackMail(mail)
  } catch (error) {
    throw new DocumentError('damaged_document', error instanceof Error ? error.message : String(error))
  }
}

/**
 * Adds the attachments in Outlook's `winmail.dat` and uuencoded files to a mail, and the text in `winmail.dat` when the mail
 * has none.
 */
function unpackMail(mail: Email): Email {
  const unpacked = { ...mail, attachments: [] as Attachment[] }
  const attach = (filename: string, bytes: Uint8Array) => unpacked.attachments.push(attachmentOf(filename, bytes))
  if (mail.text !== undefined) unpacked.text = extractUuencoded(mail.text, attach)
  for (const attachment of mail.attachments) {
    const bytes = typeof attachment.content === 'string' ? null : new Uint8Array(attachment.content)
    if (bytes === null) unpacked.attachments.push(attachment)
    else if (isTnef(bytes)) unpackTnef(bytes, unpacked)
    else if (BEGIN.test(Buffer.from(bytes.subarray(0, 20)).toString('latin1')))
      unpackUuencoded(attachment, bytes, unpacked)
    else unpacked.attachments.push(attachment)
  }
  return unpacked
}

/** Beginning of an attachment declared as uuencoded, which the parser doesn't decode. */
const BEGIN = /^\s*begin [0-7]{3,4} /

function unpackUuencoded(attachment: Attachment, bytes: Uint8Array, into: Email): void {
  const files: Attachment[] = []
  const remainingText = extractUuencoded(Buffer.from(bytes).toString('latin1'), (name, content) =>
    files.push(attachmentOf(name, content)),
  )
  if (files.length === 0) into.attachments.push(attachment)
  else if (remainingText.trim() !== '')
    into.attachments.push(attachmentOf(attachment.filename, Buffer.from(remainingText, 'latin1'), 'text/plain'))
  for (const file of files) into.attachments.push(file)
}

const attachmentOf = (filename: string | null, content: Uint8Array, mimeType = 'application/octet-stream') =>
  ({ filename, mimeType, disposition: 'attachment', content: Uint8Array.from(content).buffer }) satisfies Attachment

function unpackTnef(bytes: Uint8Array, into: Email, depth = 1): void {
  const { subject, text, html, rtf, attachments } = readTnef(bytes)
  const attach = (...attachment: Parameters<typeof attachmentOf>) => into.attachments.push(attachmentOf(...attachment))
  const hasText = into.html !== undefined || (into.text ?? '').trim() !== ''
  if (html !== null && !hasText) into.html = html
  else if (text !== null && !hasText) into.text = text
  else if (rtf !== null && !hasText) attach(`${subject || 'message'}.rtf`, rtf)
  // a message attached to the message
  else if (depth > 1 && (html ?? text) !== null) {
    attach(subject, Buffer.from(html ?? text ?? ''), html === null ? 'text/plain' : 'text/html')
  }
  for (const { name, content } of attachments) {
    if (depth < MAX_TNEF_DEPTH && isTnef(content)) unpackTnef(content, into, depth + 1)
    else attach(name || null, content)
  }
}

export async function writeMail(mail: Email, writer: DocumentWriter, depth = 1): Promise<void> {
  if (mail.subject) writer.heading(depth, mail.subject)
  const names = mail.attachments.map(({ filename, mimeType }) => filename ?? mimeType)
  const more = names.length > MAX_NAMES ? ` … (+${names.length - MAX_NAMES})` : ''
  writer.fields([
    ['from', mail.from ? namesOf([mail.from]) : ''],
    ['to', namesOf(mail.to ?? [])],
    ['cc', namesOf(mail.cc ?? [])],
    ['date', dateOf(mail.date)?.toISOString() ?? mail.date ?? ''],
    ['attachments', names.slice(0, MAX_NAMES).join(', ') + more],
  ])
  const { html = '' } = mail
  if (html !== '' && (await isRicher(html, mail.text ?? ''))) {
    await readPart(writer, 'page', () => readMarkup(inPieces(html), 'html', withOwnPicturesOnly(writer)))
  } else for (const paragraph of (mail.text ?? '').split(/\n\s*\n/)) writer.text(paragraph)
  for (const attachment of mail.attachments) {
    await readPart(writer, attachment.filename ?? attachment.mimeType, () => writeAttached(attachment, writer, depth))
  }
}

/** True when the HTML of a mail says clearly more than its plain text, which some programs leave empty or a stub. */
async function isRicher(html: string, text: string): Promise<boolean> {
  const letters = (words: string) => words.replaceAll(/https?:\S+|[^\p{L}\p{N}]/gu, '').length
  const plain = letters(text)
  if (plain === 0) return true
  const page = createDocumentWriter()
  try {
    await readMarkup(inPieces(html.slice(0, MAX_COMPARED_CHARACTERS)), 'html', withOwnPicturesOnly(page))
  } catch {
    // HTML that can't be read is no richer than the text
    return false
  }
  const words = page
    .pages()
    .map((page) => page.text)
    .join(' ')
  const isStub = plain < MAX_STUB_LETTERS && STUB.test(text) && !STUB.test(words)
  return isStub || letters(words) > RICHER_RATIO * plain
}

/** MIME types of mails, and of the headers of a returned mail. */
const MAIL_TYPE = /^(?:message\/rfc822|multipart\/signed|text\/rfc822-headers)$/

/** Writes attached pictures, texts, pages, mails and documents; the names of all others are listed already. */
export async function writeAttached(attachment: Attachment, writer: DocumentWriter, depth: number): Promise<void> {
  const { filename, content } = attachment
  // attachments that are too large were dropped
  if (typeof content === 'string' || content.byteLength === 0) return
  const bytes = new Uint8Array(content)
  const mimeType = await contentTypeOf(attachment, bytes)
  if (/^image\/(?:png|jpe?g|gif|bmp|webp|tiff|avif)$/.test(mimeType)) writer.picture(bytes)
  else if (MAIL_TYPE.test(mimeType)) {
    if (depth < MAX_MAIL_DEPTH) await writeMail(await parseMail(bytes), writer, depth + 1)
  } else if (/^text\/(?:x-v)?calendar$/.test(mimeType)) writer.text(eventsIn(decodeText(bytes)))
  else if (/^text\/(?:(?:x-)?vcard|directory)$/.test(mimeType)) writer.text(contactsIn(decodeText(bytes)))
  else if (/^(?:text|application)\/xml$/.test(mimeType)) {
    const invoice = await invoiceIn(bytes).catch(() => null)
    if (invoice !== null) writer.text([filename ?? '', invoice].join('\n'))
  } else if (/^text\/(?:plain|csv|markdown|html)$/.test(mimeType)) {
    if (filename !== null) writer.heading(depth + 1, filename)
    if (mimeType === 'text/html') await readMarkup(inPieces(decodePage(bytes)), 'html', withOwnPicturesOnly(writer))
    else writer.text(decodeText(bytes))
  } else {
    const format = formatOfAttached(mimeType, filename)
    if (format !== null) writer.attachment({ name: filename ?? format, format, content: bytes })
  }
}

/** Type of an attachment, by content where possible; many programs send everything as application/octet-stream. */
async function contentTypeOf({ mimeType, filename }: Attachment, bytes: Uint8Array): Promise<string> {
  if (/^(?:text|message|multipart)\//.test(mimeType)) return mimeType
  const fileType = await fileTypeFromBuffer(bytes).catch(() => undefined)
  if (fileType !== undefined)
    return fileType.mime === 'application/x-cfb' || fileType.mime === 'application/zip' ? mimeType : fileType.mime
  if (/\.ics$/i.test(filename ?? '')) return 'text/calendar'
  if (/\.eml$/i.test(filename ?? '')) return 'message/rfc822'
  if (/\.vcf$/i.test(filename ?? '')) return 'text/vcard'
  // Windows labels CSV files as Excel's
  const isNamedText = /\.(?:csv|tsv|txt|md|log|html?)$/i.test(filename ?? '')
  if (mimeType !== 'application/octet-stream' && !isNamedText) return mimeType
  // RTF, HTML or plain text; anything with control characters is none of these
  const beginning = Buffer.from(bytes.subarray(0, 4096)).toString('latin1')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they distinguish text from binary data
  if (bytes.length === 0 || /[\0-\x06\x0e-\x19]/.test(beginning)) return mimeType
  if (beginning.startsWith('BEGIN:VCALENDAR')) return 'text/calendar'
  const isPage = /^\s*<(?:!doctype html|html)\b/i.test(beginning) || /\.html?$/i.test(filename ?? '')
  return isPage ? 'text/html' : 'text/plain'
}

/** Document format by MIME type, or by name, as programs have many types for one format; null for anything else. */
function formatOfAttached(mimeType: string, filename: string | null): AttachedFormat | null {
  const extension = /\.([a-z]+)$/i.exec(filename ?? '')?.[1]?.toLowerCase() ?? ''
  const contentTypes = (format: AttachedFormat): readonly string[] => {
    const facts = fileFormats[format]
    return [facts.contentType, ...('otherContentTypes' in facts ? facts.otherContentTypes : [])]
  }
  return (
    attachedFormats.find((format) => contentTypes(format).includes(mimeType)) ?? attachedFormatOf(extension) ?? null
  )
}

export function namesOf(addresses: Address[]): string {
  return addresses
    .flatMap((one) => (one.group?.length ? one.group : one))
    .slice(0, MAX_NAMES)
    .map(({ name, address }) => (!address ? name : name === '' ? address : `${name} <${address}>`))
    .join(', ')
}

/** Mails of a file, without attachments that are too large. */
async function* mailsOf(filename: string, { isMailbox = false } = {}): AsyncGenerator<Buffer> {
  const limits = isMailbox ? mailboxLimits : mailLimits
  const mail = createLines()
  /** Current run of base64 lines, which is dropped when it's too long. */
  let run = { start: 0, bytes: 0, isDropped: false }
  let isAfterBlank = true
  let separator: string | null = null
  /** True when the first separator has no time, since the others then have none either; null before the first one. */
  let isUndated: boolean | null = null
  for await (const line of linesOf(filename, isMailbox ? {} : await rangeOfMail(filename))) {
    if (separator !== null) {
      // a sentence may start with From, too, but only a separator is followed by headers
      const isDated = MAIL_SEPARATOR.test(separator)
      if (isDated ? /^[!-9;-~]+:|^>From /.test(line) : MAIL_HEADERS.test(line)) {
        if (!mail.isBlank()) yield mail.take()
        else mail.take()
        run = { start: 0, bytes: 0, isDropped: false }
      } else if (mail.bytes() > 0) mail.add(separator)
      separator = null
    } else if (
      isMailbox &&
      isAfterBlank &&
      (MAIL_SEPARATOR.test(line) || (isUndated !== false && UNDATED_SEPARATOR.test(line)))
    ) {
      separator = line
      isUndated ??= !MAIL_SEPARATOR.test(line)
      isAfterBlank = false
      continue
    }
    isAfterBlank = line === ''
    const isEncoded = line.length > (run.isDropped ? 0 : 50) && /^[A-Za-z0-9+/=]+$/.test(line)
    if (!isEncoded) run = { start: 0, bytes: 0, isDropped: false }
    else if (!run.isDropped) {
      if (run.bytes === 0) run.start = mail.bytes()
      run.bytes += line.length + 1
      run.isDropped = run.bytes > limits.encoded || mail.bytes() > limits.all
      // half of an attachment can't be read
      if (run.isDropped) mail.truncate(run.start)
    }
    if (run.isDropped || mail.bytes() > limits.all) continue
    // a line of a mail that looks like a separator is escaped with >
    mail.add(isMailbox ? line.replace(/^>(>*From )/, '$1') : line)
  }
  if (!mail.isBlank()) yield mail.take()
}

const FIRST_BYTES = 64 * 1024

/** Lines in one buffer: separate strings would take several times the memory. */
function createLines() {
  let content = Buffer.alloc(FIRST_BYTES)
  let length = 0
  let isBlank = true
  return {
    bytes: () => length,
    isBlank: () => isBlank,
    add(line: string): void {
      const needed = length + line.length + 1
      if (needed > content.length) content = Buffer.concat([content], 2 * needed)
      content.write(line, length, 'latin1')
      content[needed - 1] = NEW_LINE
      length = needed
      isBlank &&= line === ''
    },
    truncate(bytes: number): void {
      length = bytes
    },
    take(): Buffer {
      const lines = Buffer.from(content.subarray(0, Math.max(0, length - 1)))
      length = 0
      isBlank = true
      return lines
    },
  }
}

const NEW_LINE = 0x0a

/** Range of the mail in a file: Apple Mail (.emlx) writes its length before it, and its own metadata after it. */
const rangeOfMail = (filename: string): Promise<{ start?: number; end?: number }> =>
  withBytes(filename, async ({ read }) => {
    const [{ length: start } = '', bytes = ''] = MAIL_LENGTH.exec((await read(0, 40)).toString('latin1')) ?? []
    const mailEnd = start + Number(bytes)
    // The stated length is wrong when the mail has been changed.
    const isLength = (await read(mailEnd, APPLE_METADATA.length)).equals(APPLE_METADATA)
    return isLength && mailEnd > start ? { start, end: mailEnd - 1 } : { start }
  })

const APPLE_METADATA = Buffer.from('<?xml')

/** Lines without line ends, each byte decoded as one character; very long lines come in pieces. */
async function* linesOf(filename: string, range: { start?: number; end?: number }): AsyncGenerator<string> {
  let rest = ''
  for await (const piece of createReadStream(filename, { ...range, highWaterMark: 64 * 1024 })) {
    const lines = (rest + (piece as Buffer).toString('latin1')).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line
    if (rest.length > 1024 * 1024) {
      yield rest
      rest = ''
    }
  }
  if (rest !== '') yield rest
}
