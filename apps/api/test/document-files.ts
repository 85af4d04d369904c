import { readFileSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { constants, deflateRawSync } from 'node:zlib'
import yazl from 'yazl'

/** A document of test/papers. */
export function readOfficeFile(name: string): Buffer {
  return readFileSync(new URL(`./papers/${name}`, import.meta.url))
}

/** A ZIP of files, in this order. */
export async function zipOf(files: Record<string, string | Buffer>): Promise<Buffer> {
  const zip = new yazl.ZipFile()
  for (const [name, content] of Object.entries(files)) {
    zip.addBuffer(Buffer.from(content as string), name, { compress: name !== 'mimetype' })
  }
  zip.end()
  return buffer(zip.outputStream)
}

const WORD_TYPES = `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`

/** A Word document with this body; `types` replaces its [Content_Types].xml. */
export function wordOf(body: string | Buffer, types = WORD_TYPES): Promise<Buffer> {
  return zipOf({ '[Content_Types].xml': types, 'word/document.xml': body })
}

/** A Word document with this body and with macros. */
export function wordWithMacros(body: string): Promise<Buffer> {
  const type = 'application/vnd.ms-word.document.macroEnabled.main+xml'
  return zipOf({
    '[Content_Types].xml': `<Types><Override PartName="/word/document.xml" ContentType="${type}"/></Types>`,
    'word/document.xml': body,
    'word/vbaProject.bin': Buffer.alloc(2_000, 7),
  })
}

/** A small Word document that unpacks to many megabytes. */
export function wordBomb(megabytes: number): Buffer {
  const [first, block] = [WORD_TYPES, '<w:p/>'.repeat(175_000)].map((text) =>
    deflateRawSync(text, { finishFlush: constants.Z_FULL_FLUSH }),
  ) as [Buffer, Buffer]
  const end = deflateRawSync('')
  return deflatedZip([
    { name: '[Content_Types].xml', content: Buffer.concat([first, end]), sizeBytes: WORD_TYPES.length },
    {
      name: 'word/document.xml',
      content: Buffer.concat([...Array<Buffer>(megabytes).fill(block), end]),
      sizeBytes: megabytes * 1_050_000,
    },
  ])
}

/** A ZIP of contents that are already deflated. */
function deflatedZip(files: { name: string; content: Buffer; sizeBytes: number }[]): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, content, sizeBytes } of files) {
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(8, 4)
    fields.writeUInt32LE(content.length, 14)
    fields.writeUInt32LE(sizeBytes, 18)
    fields.writeUInt16LE(name.length, 22)
    const location = Buffer.alloc(14)
    location.writeUInt32LE(offset, 10)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields, Buffer.from(name), content])
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), fields, location, Buffer.from(name)]))
    parts.push(local)
    offset += local.length
  }
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06')
  end.writeUInt16LE(files.length, 8)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(Buffer.concat(directory).length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, ...directory, end])
}

/** A password-protected Office document: a file of the older format that contains the encrypted document. */
export const encryptedWord = () => olderOffice('EncryptedPackage')

/** The start of a Visio drawing, a file in the same container format. */
export const visioDrawing = () => olderOffice('VisioDocument')

/** An OLE file with a single stream. */
function olderOffice(streamName: string): Buffer {
  const file = Buffer.alloc(4_096)
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(file)
  file.writeUInt16LE(0x3e, 24)
  file.writeUInt16LE(3, 26)
  file.writeUInt16LE(0xfffe, 28)
  file.writeUInt16LE(9, 30)
  file.writeUInt32LE(1, 48)
  const entries: [string, number][] = [
    ['Root Entry', 1],
    [streamName, 0xffffffff],
  ]
  for (const [index, [name, child]] of entries.entries()) {
    const offset = 1_024 + index * 128
    file.write(name, offset, 'utf16le')
    file.writeUInt16LE(name.length * 2 + 2, offset + 64)
    file.writeUInt32LE(0xffffffff, offset + 68)
    file.writeUInt32LE(0xffffffff, offset + 72)
    file.writeUInt32LE(child, offset + 76)
  }
  return file
}

/** An EPUB of chapters, with a cover without text and with scripts that must not run. */
export function bookOf(chapters: { title: string; text: string }[]): Promise<Buffer> {
  const names = chapters.map((_, index) => `c${index + 1}.xhtml`)
  const items = ['cover.xhtml', ...names].map(
    (name) => `<item id="${name}" href="text/${name}" media-type="application/xhtml+xml"/>`,
  )
  const order = ['cover.xhtml', ...names].map((name) => `<itemref idref="${name}"/>`)
  const pages = chapters.map(({ title, text }, index): [string, string] => [
    `OEBPS/text/${names[index]}`,
    `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title><script>fetch('http://169.254.169.254')</script></head>
      <body><h1>${title}</h1><p onclick="alert(1)">${text}</p><script>document.write('written by a script')</script></body></html>`,
  ])
  return zipOf({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
    'OEBPS/book.opf': `<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>The lighthouse</dc:title>
      <dc:creator>A. Keeper</dc:creator><dc:date>1999-08-07</dc:date></metadata>
      <manifest>${items.join('')}</manifest><spine>${order.join('')}</spine></package>`,
    'OEBPS/text/cover.xhtml': '<html><body><img src="cover.png" alt=""/></body></html>',
    ...Object.fromEntries(pages),
  })
}

/** A received mail: encoded words, the text as plain text and as HTML, and attachments. */
export function mailOf({ subject, text, attachments = 0, kilobytes = 1 }: MailToWrite): string {
  const encoded = Buffer.alloc(kilobytes * 768, 'attached')
    .toString('base64')
    .replaceAll(/.{76}/g, '$&\r\n')
  const attached = Array.from(
    { length: attachments },
    (_, index) =>
      `--outer\r\nContent-Type: application/pdf; name="bill-${index + 1}.pdf"\r\n` +
      `Content-Disposition: attachment; filename="bill-${index + 1}.pdf"\r\nContent-Transfer-Encoding: base64\r\n\r\n${encoded}\r\n`,
  )
  return [
    'Return-Path: <ana@example.org>',
    'Received: from mx.example.org (mx.example.org [192.0.2.7]) by mail.example.net; Tue, 4 Mar 2025 10:02:11 +0100',
    'From: =?UTF-8?Q?Ana_N=C3=BA=C3=B1ez?= <ana@example.org>',
    'To: "Bo, the plumber" <bo@example.net>',
    `Subject: =?UTF-8?B?${Buffer.from(subject).toString('base64')}?=`,
    'Date: Tue, 4 Mar 2025 10:02:00 +0100',
    'Message-ID: <1@example.org>',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary="outer"',
    '',
    '--outer',
    'Content-Type: multipart/alternative; boundary="inner"',
    '',
    '--inner',
    'Content-Type: text/plain; charset=iso-8859-1',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    text.replaceAll(/[^\x20-\x7e]/g, (letter) => `=${letter.charCodeAt(0).toString(16).toUpperCase()}`),
    '',
    '--inner',
    'Content-Type: text/html; charset=utf-8',
    '',
    `<p>${text}</p><script>alert(1)</script><img src="http://tracker.example.org/x.gif">`,
    '--inner--',
    ...attached,
    '--outer--',
    '',
  ].join('\r\n')
}

interface MailToWrite {
  subject: string
  text: string
  attachments?: number
  /** Size of each attachment. */
  kilobytes?: number
}

/** A mail with these files attached. */
export function mailWith(
  { subject, text }: Pick<MailToWrite, 'subject' | 'text'>,
  attached: { name: string; type: string; content: Buffer }[],
): Buffer {
  const files = attached.map(
    ({ name, type, content }) =>
      `--outer\r\nContent-Type: ${type}\r\nContent-Disposition: attachment; filename="${name}"\r\n` +
      `Content-Transfer-Encoding: base64\r\n\r\n${content.toString('base64').replaceAll(/.{76}/g, '$&\r\n')}\r\n`,
  )
  return Buffer.from(
    [
      `From: ana@example.org\r\nSubject: ${subject}\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="outer"\r\n`,
      `--outer\r\nContent-Type: text/plain\r\n\r\n${text}\r\n${files.join('')}--outer--\r\n`,
    ].join('\r\n'),
  )
}
