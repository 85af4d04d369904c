import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readCsv } from './kinds/csv.ts'
import { readHtml } from './kinds/html.ts'
import { readMail, readMailbox } from './kinds/mail.ts'
import type { PaperKind } from './paper-kind.ts'
import { createPaperWriter } from './paper-writer.ts'

const folder = mkdtempSync(join(tmpdir(), 'mira-odd-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function read(kind: PaperKind, content: string | Buffer) {
  const filename = join(folder, 'file')
  writeFileSync(filename, content)
  const writer = createPaperWriter()
  await kind(filename, writer, () => undefined)
  const pages = writer.pages().map(({ text }) => text.split('\n').filter((line) => line !== ''))
  return {
    pages,
    lines: pages.flat(),
    pictures: writer.pictures().length,
    names: writer.attachments().map(({ name }) => name),
  }
}
const head = 'From: a@example.org\nTo: b@example.org\n'
const attached = (name: string, content: string) =>
  `--x\nContent-Type: application/octet-stream\nContent-Disposition: attachment; filename="${name}"\nContent-Transfer-Encoding: base64\n\n${Buffer.from(content, 'latin1').toString('base64')}\n`
const mixed = (...parts: string[]) => `${head}Content-Type: multipart/mixed; boundary=x\n\n${parts.join('')}--x--\n`
const both = (text: string, html: string) =>
  `${head}Content-Type: multipart/alternative; boundary=x\n\n--x\nContent-Type: text/plain\n\n${text}\n--x\nContent-Type: text/html\n\n${html}\n--x--\n`

test('a quote that nobody closed loses no row of a table', async () => {
  const { lines } = await read(readCsv, 'id,text\n1,"a, b"\n2,12" pipe\n3,c\n4,"never closed\n')
  expect(lines).toEqual(['id | text', '1 | a, b', '2 | 12" pipe', '3 | c', '4 | "never closed'])
})

test('a mail is read from its page where its plain text is a stub, and from its text where both say the same', async () => {
  const page = '<p>You bought a <b>gooseneck lamp</b>.</p>'
  const stub = 'This message requires an HTML capable mail client.'
  expect((await read(readMail, both(stub, page))).lines).toContain('You bought a gooseneck lamp.')
  expect((await read(readMail, both('You bought a gooseneck lamp.\nThanks', page))).lines).toContain('Thanks')
})

test('attachments without a type are judged by their content', async () => {
  const { lines, pictures, names } = await read(
    readMail,
    mixed(
      attached('scan', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\0\0\0\0'),
      attached('note.txt', 'walnut oil'),
      attached('contract', '%PDF-1.7\n%\xe2\xe3\xcf\xd3\n'),
      attached('program', '\0\x01\x02binary words'),
    ),
  )
  expect({ pictures, names }).toEqual({ pictures: 1, names: ['contract'] })
  expect(lines).toContain('walnut oil')
  expect(lines.join('\n')).not.toContain('binary words')
})

test('an invitation is read as an event', async () => {
  const event =
    'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Choir\\, first\r\n  rehearsal\r\nDTSTART;TZID=Europe/Berlin:20240305T190000\r\nDTEND:20240305T200000Z\r\nLOCATION:Town hall\r\nEND:VEVENT\r\nEND:VCALENDAR'
  expect((await read(readMail, mixed(attached('invite.ics', event)))).lines.slice(-3)).toEqual([
    'Choir, first rehearsal',
    '2024-03-05 19:00 – 2024-03-05 20:00 UTC',
    'Town hall',
  ])
})

test('headers in bytes of an older encoding, and words that end in the middle of a character, are read', async () => {
  const raw = Buffer.from(
    `${head}Subject: Facture pour le ch\xe2teau\nContent-Type: text/plain; charset=iso-8859-1\n\nx`,
    'latin1',
  )
  expect((await read(readMail, raw)).lines[0]).toBe('Facture pour le château')
  const split = `${head}Subject: =?utf-8?B?UHLDvGZ1bmcgS8M=?=\n =?utf-8?B?pHNla3VjaGVu?=\n =?utf-8?Q?_f=C3?= =?utf-8?Q?=BCr?=\n\nx`
  expect((await read(readMail, split)).lines[0]).toBe('Prüfung Käsekuchen für')
})

test('a mailbox is parted at real separators alone', async () => {
  const mail = (words: string) => `From x Mon Mar  4 10:00:00 2024\n${head}Subject: ${words}\n\nHello\n\n`
  const sentence = 'From all of us, at 10:00 sharp.\nThe garden too.\n\n'
  const { pages } = await read(readMailbox, mail('figs') + sentence + mail('quails'))
  expect(pages.map(([subject]) => subject)).toEqual(['figs', 'quails'])
  expect(pages[0]).toEqual(expect.arrayContaining(['From all of us, at 10:00 sharp.', 'The garden too.']))
})

test('an electronic invoice that is attached to a mail is told in lines, other data is not', async () => {
  const xml = (root: string) =>
    `--x\nContent-Type: application/xml; name=invoice.xml\nContent-Disposition: attachment; filename=invoice.xml\n\n<?xml version="1.0"?><${root}><ID>R-7</ID><IssueDate>2024-02-01</IssueDate></${root}>\n`
  const { lines } = await read(readMail, mixed(xml('Invoice'), xml('Settings')))
  expect(lines.filter((line) => /R-7|IssueDate/.test(line))).toEqual(['Invoice number: R-7'])
})

test('a page of the web says what is seen: words that tags part, texts of pictures, nothing that is hidden', async () => {
  const { lines } = await read(
    readHtml,
    `<p><span>O</span>nce the <b>Ele</b>phant, Do&shy;nau; super<wbr>cali</p><p hidden>lobster <br> more</p>
     <div style="color:red; display: none">mussel <p>deep</p></div><img alt="A walrus" style="display:none"><p>Look: <img alt="a walrus"></p>
     <table><tr><td>Plum</td><td>7</td></tr></table>`,
  )
  expect(lines).toEqual(['Once the Elephant, Do\u00adnau; supercali', 'Look: a walrus', 'Plum | 7'])
})
