import { createReadStream } from 'node:fs'
import { setImmediate as giveWay } from 'node:timers/promises'
import { fileFormats } from '@mira/shared'
import PostalMime, { type Address, type Attachment, type Email } from 'postal-mime'
import { dateOf, type PaperKind } from '../paper-kind.ts'
import { PaperProblem } from '../paper-problem.ts'
import type { PaperWriter } from '../paper-writer.ts'
import type { AttachedFormat } from '../papers.ts'
import { onlyOwnPictures, readMarkup } from './html.ts'

/** Of what is larger than this and attached only the name is told: base64 beyond is left out before a mail is taken apart. */
const MOST_ENCODED_BYTES = 512 * 1024
/** A mail's own words, its headers and what little remains of attachments. */
const MOST_MAIL_BYTES = 8 * 1024 * 1024
/** What is encoded in less than that. */
const MOST_ATTACHED_BYTES = Math.floor((MOST_ENCODED_BYTES * 3) / 4) - 1024
const MOST_PARTS_DEEP = 50
/** Mails that were sent on are attached to one another. */
const MOST_MAILS_DEEP = 10
const MOST_NAMES = 30
const attachedFormats: AttachedFormat[] = ['pdf', 'docx', 'xlsx', 'pptx', 'odt', 'ods', 'odp', 'rtf', 'epub']

/** One mail. */
export const readMail: PaperKind = async (filename, writer, tell) => {
  for await (const content of mailsOf(filename, false)) {
    const mail = await parsed(content)
    tell({ title: mail.subject ?? null, author: mail.from ? namesOf([mail.from]) : null, createdAt: dateOf(mail.date) })
    await writeMail(mail, writer)
  }
}

/** The mails of a mailbox, one after the other. */
export const readMailbox: PaperKind = async (filename, writer) => {
  for await (const content of mailsOf(filename, true)) {
    const mail = await parsed(content)
    writer.page(mail.subject)
    await writeMail(mail, writer)
    await giveWay()
  }
}

async function parsed(content: Uint8Array): Promise<Email> {
  try {
    return await PostalMime.parse(content, { maxNestingDepth: MOST_PARTS_DEEP, forceRfc822Attachments: true })
  } catch (error) {
    throw new PaperProblem('damaged_document', error instanceof Error ? error.message : String(error))
  }
}

async function writeMail(mail: Email, writer: PaperWriter, depth = 1): Promise<void> {
  if (mail.subject) writer.heading(depth, mail.subject)
  const names = mail.attachments.map(({ filename, mimeType }) => filename ?? mimeType)
  const more = names.length > MOST_NAMES ? ` … (+${names.length - MOST_NAMES})` : ''
  writer.fields([
    ['from', mail.from ? namesOf([mail.from]) : ''],
    ['to', namesOf(mail.to ?? [])],
    ['cc', namesOf(mail.cc ?? [])],
    ['date', dateOf(mail.date)?.toISOString() ?? mail.date ?? ''],
    ['attachments', names.slice(0, MOST_NAMES).join(', ') + more],
  ])
  if (mail.text?.trim()) for (const paragraph of mail.text.split(/\n\s*\n/)) writer.text(paragraph)
  else if (mail.html) await readMarkup(inPieces(mail.html), 'html', onlyOwnPictures(writer))
  for (const attachment of mail.attachments) await writeAttached(attachment, writer, depth)
}

/** What is attached as pictures, texts, pages, mails and documents; the names of all else are told already. */
async function writeAttached(
  { mimeType, filename, content }: Attachment,
  writer: PaperWriter,
  depth: number,
): Promise<void> {
  // one that was left out from there on is not whole
  if (typeof content === 'string' || content.byteLength >= MOST_ATTACHED_BYTES) return
  const bytes = new Uint8Array(content)
  if (/^image\/(?:png|jpe?g|gif|bmp|webp|tiff|avif)$/.test(mimeType)) writer.picture(bytes)
  else if (mimeType === 'message/rfc822') {
    if (depth < MOST_MAILS_DEEP) await writeMail(await parsed(bytes), writer, depth + 1)
  } else if (/^text\/(?:plain|csv|markdown|html)$/.test(mimeType)) {
    if (filename !== null) writer.heading(depth + 1, filename)
    const text = textOf(bytes)
    if (mimeType === 'text/html') await readMarkup(inPieces(text), 'html', onlyOwnPictures(writer))
    else writer.text(text)
  } else {
    const format = attachedFormatOf(mimeType, filename)
    if (format !== null) writer.attachment({ name: filename ?? format, format, content: bytes })
  }
}

/** What document it is by its type, or by its name where many programs give none; null for anything else. */
function attachedFormatOf(mimeType: string, filename: string | null): AttachedFormat | null {
  const ending = /\.([a-z]+)$/i.exec(filename ?? '')?.[1]?.toLowerCase()
  return (
    attachedFormats.find((format) => fileFormats[format].contentType === mimeType) ??
    attachedFormats.find((format) => mimeType === 'application/octet-stream' && format === ending) ??
    null
  )
}

/** Words of an attachment, which does not say how it is encoded: Unicode, or what most programs wrote before. */
function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

async function* inPieces(text: string): AsyncGenerator<string> {
  for (let start = 0; start < text.length; start += 64 * 1024) yield text.slice(start, start + 64 * 1024)
}

function namesOf(addresses: Address[]): string {
  return addresses
    .slice(0, MOST_NAMES)
    .map(({ name, address }) => (address === undefined ? name : name === '' ? address : `${name} <${address}>`))
    .join(', ')
}

/** Mails as they were sent, without most of what is attached to them. */
async function* mailsOf(filename: string, isMailbox: boolean): AsyncGenerator<Buffer> {
  let lines: string[] = []
  let bytes = 0
  let encoded = 0
  let isAfterBlank = true
  const taken = () => {
    const mail = Buffer.from(lines.join('\n'), 'latin1')
    lines = []
    bytes = 0
    encoded = 0
    return mail
  }
  for await (const line of linesOf(filename)) {
    if (isMailbox && isAfterBlank && /^From \S/.test(line)) {
      if (lines.some((one) => one !== '')) yield taken()
      isAfterBlank = false
      continue
    }
    isAfterBlank = line === ''
    const isEncoded = line.length > 50 && /^[A-Za-z0-9+/=]+$/.test(line)
    encoded = isEncoded ? encoded + line.length : 0
    if (encoded > MOST_ENCODED_BYTES || bytes > MOST_MAIL_BYTES) continue
    bytes += line.length + 1
    // a line of a mail that looks like the next mail's first is written with a sign before it
    lines.push(isMailbox ? line.replace(/^>(>*From )/, '$1') : line)
  }
  if (lines.some((one) => one !== '')) yield taken()
}

/** Lines without their ends, each byte a character; a line without an end comes in pieces. */
async function* linesOf(filename: string): AsyncGenerator<string> {
  let rest = ''
  for await (const piece of createReadStream(filename, { highWaterMark: 64 * 1024 })) {
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
