import { decompressRTF } from '@kenjiuno/decompressrtf'
import msgReaderPackage, { type FieldsData } from '@kenjiuno/msgreader'
import type { Address, Attachment, Email } from 'postal-mime'
import { type DocumentParser, dateOf } from '../document-parser.ts'
import { decoderOfCodePage, openCompoundFile } from './compound-file.ts'
import { namesOf, writeMail } from './mail.ts'

const { default: MsgReader } = msgReaderPackage
type Reader = InstanceType<typeof MsgReader>

const MAX_RICH_TEXT_BYTES = 8 * 1024 * 1024

/** A mail in a file saved by Outlook. */
export const readOutlookMessage: DocumentParser = async (filename, writer, report) => {
  const { bytes } = await openCompoundFile(filename)
  let reader = readerOf(bytes)
  const { messageCodepage, internetCodepage } = reader.getFileData()
  const charset = decoderOfCodePage(messageCodepage ?? internetCodepage ?? 1252).encoding
  // older versions of Outlook don't write Unicode
  if (!/^(?:utf-|windows-1252$)/.test(charset)) reader = readerOf(bytes, charset)
  const fields = reader.getFileData()
  const mail = emailOf(fields, reader)
  report({
    title: mail.subject ?? null,
    author: mail.from ? namesOf([mail.from]) : null,
    createdAt: dateOf(mail.date),
  })
  await writeMail(mail, writer)
  writer.text(detailsOf(fields))
}

/** Lines of an appointment or a contact, whose fields aren't in their text. */
function detailsOf(fields: FieldsData): string {
  const { messageClass = '', apptStartWhole: start, apptEndWhole: end, apptLocation } = fields
  if (/^IPM\.(?:Appointment|Schedule\.Meeting)/i.test(messageClass)) {
    const times = [start, end].flatMap((text) => dateOf(text)?.toISOString().slice(0, 16).replace('T', ' ') ?? [])
    return [times.length > 0 ? `${times.join(' – ')} UTC` : '', apptLocation].filter(Boolean).join('\n')
  }
  if (!/^IPM\.Contact/i.test(messageClass)) return ''
  const lines: [label: string, value: string | undefined][] = [
    ['', fields.name],
    ['', fields.title],
    ['', fields.departmentName],
    ['', fields.companyName],
    ['Phone', fields.businessTelephoneNumber],
    ['Phone', fields.homeTelephoneNumber],
    ['Phone', fields.mobileTelephoneNumber],
    ['Fax', fields.businessFaxNumber],
    ['Mail', fields.email1EmailAddress],
    ['Address', fields.postalAddress?.replaceAll('\r\n', ', ')],
    ['Address', fields.workAddress?.replaceAll('\r\n', ', ')],
    ['Page', fields.businessHomePage],
  ]
  const written = lines.filter(([, value]) => value?.trim())
  return [...new Set(written.map(([label, value]) => (label === '' ? value : `${label}: ${value}`)))].join('\n')
}

function readerOf(bytes: Buffer, ansiEncoding?: string): Reader {
  const reader = new MsgReader(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  if (ansiEncoding !== undefined) reader.parserConfig = { ansiEncoding }
  return reader
}

function emailOf(fields: FieldsData, reader: Reader): Email {
  const recipients = (kind: FieldsData['recipType']) =>
    (fields.recipients ?? []).filter(({ recipType }) => recipType === kind).map((one) => addressOf(one))
  const date = fields.messageDeliveryTime ?? fields.clientSubmitTime ?? fields.creationTime
  const html =
    fields.bodyHtml ?? (fields.html && decoderOfCodePage(fields.internetCodepage ?? 1252).decode(fields.html))
  return {
    headers: [],
    headerLines: [],
    attachments: [
      ...(html || fields.body?.trim() ? [] : richText(fields.compressedRtf)),
      ...(fields.attachments ?? []).flatMap((attachment) => attachmentOf(attachment, reader)),
    ],
    to: recipients('to'),
    cc: recipients('cc'),
    from: addressOf({
      name: fields.senderName,
      email: fields.senderEmail,
      smtpAddress: fields.senderSmtpAddress ?? fields.sentRepresentingSmtpAddress,
    }),
    ...(fields.subject && { subject: fields.subject }),
    ...(date && { date }),
    ...(html && { html }),
    ...(fields.body && { text: fields.body }),
  }
}

/** Name and address of a person; Exchange's internal addresses, which have no @, are left out. */
function addressOf({ name = '', email, smtpAddress }: Pick<FieldsData, 'name' | 'email' | 'smtpAddress'>): Address {
  const address = smtpAddress ?? email
  return address?.includes('@') ? { name: name === address ? '' : name, address } : { name, address: '' }
}

function attachmentOf(attachment: FieldsData, reader: Reader): Attachment[] {
  const { innerMsgContentFields: inner } = attachment
  if (inner !== undefined) {
    // a forwarded mail, as text
    const { subject = '', body = '' } = inner
    return [toAttachment(`${subject || 'message'}.txt`, 'text/plain', Buffer.from(`${subject}\n\n${body}`))]
  }
  const { fileName, content } = reader.getAttachment(attachment)
  return [toAttachment(fileName, attachment.attachMimeTag ?? 'application/octet-stream', content)]
}

function toAttachment(filename: string, mimeType: string, content: Uint8Array): Attachment {
  return { filename, mimeType, disposition: 'attachment', content: Uint8Array.from(content).buffer }
}

/** Text of a mail that only has compressed RTF. */
function richText(compressed: Uint8Array | undefined): Attachment[] {
  if (compressed === undefined || compressed.length > MAX_RICH_TEXT_BYTES) return []
  try {
    return [toAttachment('message.rtf', 'application/rtf', Uint8Array.from(decompressRTF([...compressed])))]
  } catch {
    // It's neither compressed nor plain RTF.
    return []
  }
}
