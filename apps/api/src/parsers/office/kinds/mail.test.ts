import { describe, expect, test } from 'vitest'
import { readOfficeFile } from '../../../../test/document-files.ts'
import { attachmentPart, mailHeaders, multipartMail } from '../../../../test/mail-texts.ts'
import { linesOf, parseDocument } from '../../../../test/parse-document.ts'
import { readMail } from './mail.ts'

const both = (text: string, html: string) =>
  `${mailHeaders}Content-Type: multipart/alternative; boundary=x\n\n--x\nContent-Type: text/plain\n\n${text}\n--x\nContent-Type: text/html\n\n${html}\n--x--\n`

test('reads the HTML of a mail when its plain text is a stub, and the plain text when both say the same', async () => {
  const page = '<p>You bought a <b>gooseneck lamp</b>.</p>'
  const stub = 'This message requires an HTML capable mail client.'
  expect((await parseDocument(readMail, both(stub, page))).lines).toContain('You bought a gooseneck lamp.')
  expect((await parseDocument(readMail, both('You bought a gooseneck lamp.\nThanks', page))).lines).toContain('Thanks')
})

test('detects attachments without a type by content', async () => {
  const bytes = (text: string) => Buffer.from(text, 'latin1')
  const { lines, pictures, names } = await parseDocument(
    readMail,
    multipartMail(
      attachmentPart('scan', bytes('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\0\0\0\0')),
      attachmentPart('note.txt', 'walnut oil'),
      attachmentPart('contract', bytes('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n')),
      attachmentPart('program', '\0\x01\x02binary words'),
    ),
  )
  expect({ pictures, names }).toEqual({ pictures: 1, names: ['contract'] })
  expect(lines).toContain('walnut oil')
  expect(lines.join('\n')).not.toContain('binary words')
})

test('reads an invitation as an event', async () => {
  const event =
    'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Choir\\, first\r\n  rehearsal\r\nDTSTART;TZID=Europe/Berlin:20240305T190000\r\nDTEND:20240305T200000Z\r\nLOCATION:Town hall\r\nEND:VEVENT\r\nEND:VCALENDAR'
  expect((await parseDocument(readMail, multipartMail(attachmentPart('invite.ics', event)))).lines.slice(-3)).toEqual([
    'Choir, first rehearsal',
    '2024-03-05 19:00 Europe/Berlin – 2024-03-05 20:00 UTC',
    'Town hall',
  ])
})

test('ends an all-day event on its last day', async () => {
  const datesOf = async (...dates: string[]) => {
    const event = `BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Choir\n${dates.join('\n')}\nEND:VEVENT\nEND:VCALENDAR`
    return (await parseDocument(readMail, multipartMail(attachmentPart('invite.ics', event)))).lines.at(-1)
  }
  expect(await datesOf('DTSTART;VALUE=DATE:20240228', 'DTEND;VALUE=DATE:20240302')).toBe('2024-02-28 – 2024-03-01')
  expect(await datesOf('DTSTART;VALUE=DATE:20240305', 'DTEND;VALUE=DATE:20240306')).toBe('2024-03-05')
  expect(await datesOf('DTSTART;VALUE=DATE:20240305', 'DTEND;VALUE=DATE:20240305')).toBe('2024-03-05')
  expect(await datesOf('DTSTART:20240305T190000', 'DTEND:20240305T190000')).toBe('2024-03-05 19:00')
})

test('reads headers in raw bytes of an older encoding, and encoded words split inside a character', async () => {
  const raw = Buffer.from(
    `${mailHeaders}Subject: Facture pour le ch\xe2teau\nContent-Type: text/plain; charset=iso-8859-1\n\nx`,
    'latin1',
  )
  expect((await parseDocument(readMail, raw)).lines[0]).toBe('Facture pour le château')
  const split = `${mailHeaders}Subject: =?utf-8?B?UHLDvGZ1bmcgS8M=?=\n =?utf-8?B?pHNla3VjaGVu?=\n =?utf-8?Q?_f=C3?= =?utf-8?Q?=BCr?=\n\nx`
  expect((await parseDocument(readMail, split)).lines[0]).toBe('Prüfung Käsekuchen für')
  const japanese = `${mailHeaders}Subject: =?ISO-2022-JP?B?GyRCJUYlOSVIGyhC?=\n =?ISO-2022-JP?B?GyRCJUYlOSVIGyhC?=\n\nx`
  expect((await parseDocument(readMail, japanese)).lines[0]).toBe('テストテスト')
})

test.each(['us-ascii', '"US-ASCII"; format=flowed', 'X-UNKNOWN', 'unknown-8bit', ''])(
  'reads a mail in the encoding of its bytes when it declares ASCII or no known one: %s',
  async (charset) => {
    const mail = `${mailHeaders}Content-Type: text/plain; charset=${charset}\n\nEnvoyé par le service de Bell Mobilité.\n`
    expect((await parseDocument(readMail, mail)).lines).toContain('Envoyé par le service de Bell Mobilité.')
  },
)

test('reads the headers in a bounced mail, and older types of contacts and calendars', async () => {
  const part = (type: string, content: string) => `--x\nContent-Type: ${type}\n\n${content}\n`
  const { lines } = await parseDocument(
    readMail,
    multipartMail(
      part('text/rfc822-headers', 'From: ada@x.org\nTo: bo@x.org\nSubject: Fig jam\n'),
      part('text/directory; profile=vCard', 'BEGIN:VCARD\nFN:Ada Quibble\nEND:VCARD'),
      part('text/x-vcalendar', 'BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Choir\nEND:VEVENT\nEND:VCALENDAR'),
    ),
  )
  expect(lines.slice(3)).toEqual(['Fig jam', 'From: ada@x.org', 'To: bo@x.org', 'Ada Quibble', 'Choir'])
})

test('reads a mail stored by Apple Mail, without its length and property list', async () => {
  const mail = `${mailHeaders}Subject: Fig jam\n\nGrüße\n`
  const emlx = `${Buffer.byteLength(mail)}      \n${mail}<?xml version="1.0"?><plist><key>flags</key></plist>\n`
  expect((await parseDocument(readMail, emlx)).lines).toEqual([
    ...['Fig jam', 'From: a@example.org', 'To: b@example.org', 'Grüße'],
  ])
  for (const bytes of [0, 12, 10 ** 9])
    expect((await parseDocument(readMail, `${bytes}\n${mail}`)).lines).toContain('Grüße')
})

test('lists the members of a group as recipients', async () => {
  const mail = 'From: a@example.org\nTo: Choir: Ada <ada@x.org>, bo@x.org;, cy@x.org\nCc: Undisclosed recipients:;\n\nx'
  expect((await parseDocument(readMail, mail)).lines).toEqual(
    expect.arrayContaining(['To: Ada <ada@x.org>, bo@x.org, cy@x.org', 'Cc: Undisclosed recipients']),
  )
})

test('reads an attached page as HTML, whatever its doctype', async () => {
  const page = '<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<dl><dt><a href="https://figs.example">All about figs</a></dl>'
  expect((await parseDocument(readMail, multipartMail(attachmentPart('bookmarks.htm', page)))).lines.slice(-2)).toEqual(
    [...['bookmarks.htm', 'All about figs']],
  )
})

test('reads the fields of an attached electronic invoice, but no other XML', async () => {
  const xml = (root: string) =>
    `--x\nContent-Type: application/xml; name=invoice.xml\nContent-Disposition: attachment; filename=invoice.xml\n\n<?xml version="1.0"?><${root}><ID>R-7</ID><IssueDate>2024-02-01</IssueDate></${root}>\n`
  const { lines } = await parseDocument(readMail, multipartMail(xml('Invoice'), xml('Settings')))
  expect(lines.filter((line) => /R-7|IssueDate/.test(line))).toEqual(['Invoice number: R-7'])
})

describe('a mail', () => {
  test('is read in the encoding of its bytes when it declares none', async () => {
    const body = 'Gr\xfc\xdfe aus G\xfcstrow, sch\xf6ne Tage an der M\xfcritz w\xfcnscht J\xfcrgen'
    for (const type of ['', 'Content-Type: text/plain\n']) {
      const mail = Buffer.from(`${mailHeaders}${type}Subject: x\n\n${body}\n`, 'latin1')
      expect(await linesOf(readMail, mail)).toContain('Grüße aus Güstrow, schöne Tage an der Müritz wünscht Jürgen')
    }
  })

  const western = 'Gr\xfc\xdfe aus G\xfcstrow, sch\xf6ne Tage an der M\xfcritz w\xfcnscht J\xfcrgen'
  const encodings: [name: string, headers: string, body: string][] = [
    ['as raw bytes', 'Content-Type: text/plain', western],
    ['without headers', '', western],
    [
      'in base64',
      'Content-Type: text/plain\nContent-Transfer-Encoding: base64',
      Buffer.from(western, 'latin1').toString('base64'),
    ],
    [
      'in quoted-printable',
      'Content-Type: text/plain\nContent-Transfer-Encoding: quoted-printable',
      western.replaceAll(/[^ -~]/g, (letter) => `=${letter.charCodeAt(0).toString(16)}`),
    ],
  ]
  test.each(encodings)(
    'has parts that don’t declare their encoding, each read in its own: %s',
    async (_name, headers, body) => {
      const parts = [
        `Content-Type: text/plain; charset=utf-8\n\nName: KÃ¤the`,
        `${headers}\n${headers && '\n'}${body}`,
        'Content-Type: text/html\n\n<meta charset="windows-1251"><p>\xc3\xf0\xf3\xf8\xe8</p>',
      ]
      const mail = `${mailHeaders}Content-Type: multipart/mixed;\n boundary="a b"\n\nNot shown\n${parts.map((part) => `--a b\n${part}\n`).join('')}--a b--\n`
      for (const text of [mail, mail.replaceAll('\n', '\r\n')]) {
        const lines = await linesOf(readMail, Buffer.from(text, 'latin1'))
        expect(lines.join('\n')).toContain('Name: Käthe')
        expect(lines.join('\n')).toContain('Grüße aus Güstrow, schöne Tage an der Müritz wünscht Jürgen')
      }
    },
  )

  test.each(['Für Käthe', 'Für Käthe.', 'Für Käthe..'])(
    'has UTF-8 parts, unaffected by a line in another encoding after them: %s',
    async (words) => {
      const boundaries = ['===============8412934756120398==', 'a_b-c']
      const parts = [
        `Content-Transfer-Encoding: base64\n\n${Buffer.from(words).toString('base64')}`,
        `Content-Transfer-Encoding: quoted-printable\n\n-- \n${words.replace('ä', '=C3=A4').replace('ü', '=C3=BC')}`,
      ]
      for (const boundary of boundaries)
        for (const part of parts) {
          const once = `--${boundary}\nContent-Type: text/plain\n${part}\n`
          const mail = `${mailHeaders}Content-Type: multipart/mixed; boundary="${boundary}"\n\n${once.repeat(2)}--${boundary}--\nVer\xf6ffentlicht\n`
          const lines = await linesOf(readMail, Buffer.from(mail, 'latin1'))
          expect(lines.filter((line) => line === words)).toHaveLength(2)
        }
    },
  )

  test('has an HTML part, read in the encoding that it declares', async () => {
    const page = 'Content-Type: text/html\n\n<meta charset="windows-1251"><p>\xc3\xf0\xf3\xf8\xe8</p>\n'
    expect(await linesOf(readMail, Buffer.from(multipartMail(`--x\n${page}`), 'latin1'))).toContain('Груши')
  })

  test('has attachments of many types', async () => {
    const russian = 'В субботу мы поехали на дачу, потому что погода была хорошая, и собирали яблоки до самого вечера.'
    const { lines, attachments } = await parseDocument(
      readMail,
      multipartMail(
        attachmentPart('letter.rtf', '{\\rtf1 figs}', 'text/rtf'),
        attachmentPart('old.xls', readOfficeFile('dates.xls'), 'application/x-msexcel'),
        attachmentPart('macros.xlsm', 'PK', 'application/vnd.ms-excel.sheet.macroEnabled.12'),
        attachmentPart('sent.eml', `${mailHeaders}Subject: Quinces\n\nRipe.\n`),
        attachmentPart('table.csv', 'Kürbis;3\n', 'application/vnd.ms-excel'),
        attachmentPart(
          'card.vcf',
          'BEGIN:VCARD\nVERSION:3.0\nN:Quibble;Ada\nFN:Ada Quibble\nTEL;TYPE=CELL:+43 1 23\nEND:VCARD\n',
          'text/x-vcard',
        ),
        attachmentPart(
          'cyrillic.txt',
          Buffer.from([...russian].map((letter) => letter.charCodeAt(0) - (letter < 'А' ? 0 : 0x350))),
          'text/plain',
        ),
      ),
    )
    expect(attachments.map(({ name, format }) => [name, format])).toEqual([
      ['letter.rtf', 'rtf'],
      ['old.xls', 'xls'],
      ['macros.xlsm', 'xlsx'],
    ])
    expect(lines).toEqual(
      expect.arrayContaining(['Quinces', 'Ripe.', 'Kürbis;3', 'Ada Quibble', 'Phone (mobile): +43 1 23']),
    )
    expect(lines).toContain(russian)
  })

  test('of Outlook has an event’s time zone by its cities', async () => {
    const event =
      'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nBEGIN:VALARM\r\nDESCRIPTION:REMINDER\r\nEND:VALARM\r\nSUMMARY:Choir\r\nDTSTART;TZID="(UTC+01:00) Amsterdam, Berlin, Wien":20240305T190000\r\nEND:VEVENT\r\nEND:VCALENDAR'
    expect((await linesOf(readMail, multipartMail(attachmentPart('invite.ics', event)))).slice(-2)).toEqual([
      'Choir',
      '2024-03-05 19:00 (UTC+01:00) Amsterdam, Berlin, Wien',
    ])
  })
})

test('reads a mail whose attachment unpacks to 200,000 uuencoded files', async () => {
  const files = 'begin 644 a\n`\nend\n'.repeat(200_000)
  const { lines } = await parseDocument(readMail, multipartMail(attachmentPart('files.uue', files)))
  expect(lines.length).toBeGreaterThan(0)
})
