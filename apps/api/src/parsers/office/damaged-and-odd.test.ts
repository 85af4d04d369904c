import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { bookOf, zipOf } from '../../../test/paper-files.ts'
import { readCsv } from './kinds/csv.ts'
import { readEpub } from './kinds/epub.ts'
import { readHtml } from './kinds/html.ts'
import { readMail, readMailbox } from './kinds/mail.ts'
import { readNotes } from './kinds/notes.ts'
import type { PaperFacts, PaperKind } from './paper-kind.ts'
import { createPaperWriter } from './paper-writer.ts'

const folder = mkdtempSync(join(tmpdir(), 'mira-odd-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function read(kind: PaperKind, content: string | Buffer) {
  const filename = join(folder, 'file')
  writeFileSync(filename, content)
  const writer = createPaperWriter()
  let facts: PaperFacts = {}
  await kind(filename, writer, (reported) => {
    facts = reported
  })
  const pages = writer.pages().map(({ text }) => text.split('\n').filter((line) => line !== ''))
  return {
    facts,
    pages,
    lines: pages.flat(),
    pictures: writer.pictures().length,
    names: writer.attachments().map(({ name }) => name),
    isDamaged: writer.isDamaged(),
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
    '2024-03-05 19:00 Europe/Berlin – 2024-03-05 20:00 UTC',
    'Town hall',
  ])
})

test('the end of an event of whole days is its last day', async () => {
  const datesOf = async (...dates: string[]) => {
    const event = `BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Choir\n${dates.join('\n')}\nEND:VEVENT\nEND:VCALENDAR`
    return (await read(readMail, mixed(attached('invite.ics', event)))).lines.at(-1)
  }
  expect(await datesOf('DTSTART;VALUE=DATE:20240228', 'DTEND;VALUE=DATE:20240302')).toBe('2024-02-28 – 2024-03-01')
  expect(await datesOf('DTSTART;VALUE=DATE:20240305', 'DTEND;VALUE=DATE:20240306')).toBe('2024-03-05')
  expect(await datesOf('DTSTART;VALUE=DATE:20240305', 'DTEND;VALUE=DATE:20240305')).toBe('2024-03-05')
  expect(await datesOf('DTSTART:20240305T190000', 'DTEND:20240305T190000')).toBe('2024-03-05 19:00')
})

test('headers in bytes of an older encoding, and words that end in the middle of a character, are read', async () => {
  const raw = Buffer.from(
    `${head}Subject: Facture pour le ch\xe2teau\nContent-Type: text/plain; charset=iso-8859-1\n\nx`,
    'latin1',
  )
  expect((await read(readMail, raw)).lines[0]).toBe('Facture pour le château')
  const split = `${head}Subject: =?utf-8?B?UHLDvGZ1bmcgS8M=?=\n =?utf-8?B?pHNla3VjaGVu?=\n =?utf-8?Q?_f=C3?= =?utf-8?Q?=BCr?=\n\nx`
  expect((await read(readMail, split)).lines[0]).toBe('Prüfung Käsekuchen für')
  const japanese = `${head}Subject: =?ISO-2022-JP?B?GyRCJUYlOSVIGyhC?=\n =?ISO-2022-JP?B?GyRCJUYlOSVIGyhC?=\n\nx`
  expect((await read(readMail, japanese)).lines[0]).toBe('テストテスト')
})

test.each(['us-ascii', '"US-ASCII"; format=flowed', 'X-UNKNOWN', 'unknown-8bit', ''])(
  'a mail is read in the encoding of its bytes where it states ASCII or none: %s',
  async (charset) => {
    const mail = `${head}Content-Type: text/plain; charset=${charset}\n\nEnvoyé par le service de Bell Mobilité.\n`
    expect((await read(readMail, mail)).lines).toContain('Envoyé par le service de Bell Mobilité.')
  },
)

test('what a server sends back of a mail, and older types of contacts and calendars, are read', async () => {
  const part = (type: string, content: string) => `--x\nContent-Type: ${type}\n\n${content}\n`
  const { lines } = await read(
    readMail,
    mixed(
      part('text/rfc822-headers', 'From: ada@x.org\nTo: bo@x.org\nSubject: Fig jam\n'),
      part('text/directory; profile=vCard', 'BEGIN:VCARD\nFN:Ada Quibble\nEND:VCARD'),
      part('text/x-vcalendar', 'BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Choir\nEND:VEVENT\nEND:VCALENDAR'),
    ),
  )
  expect(lines.slice(3)).toEqual(['Fig jam', 'From: ada@x.org', 'To: bo@x.org', 'Ada Quibble', 'Choir'])
})

test('files that are uuencoded are attached, in the text or as a part', async () => {
  // of Python's binascii.b2a_uu
  const file = 'begin 644 list.txt\n82\\.D<V4@=6YD($9E:6=E;BP@<V]F;W)T\n`\nend\n'
  const found = await read(readMail, `${head}\nHello\n\n${file}\nBye\n`)
  expect(found.lines.slice(2)).toEqual([
    ...['Attachments: list.txt', 'Hello', 'Bye', 'list.txt', 'Käse und Feigen, sofort'],
  ])
  const part = `--x\nContent-Type: application/octet-stream; name=a.bin\nContent-Transfer-Encoding: x-uuencode\n\n${file}`
  expect((await read(readMail, mixed(part))).lines.slice(2)).toEqual([
    ...['Attachments: list.txt', 'list.txt', 'Käse und Feigen, sofort'],
  ])
  const around = await read(readMail, mixed(part.replace('begin', 'begin 644 nothing\nFor Bo\nbegin')))
  expect(around.lines.slice(2)).toEqual([
    ...['Attachments: a.bin, list.txt', 'a.bin', 'begin 644 nothing', 'For Bo', 'list.txt', 'Käse und Feigen, sofort'],
  ])
  const text = 'begin 644 times\nand end\n'
  expect((await read(readMail, mixed(attached('a.txt', text)))).lines.slice(2)).toEqual([
    ...['Attachments: a.txt', 'a.txt', 'begin 644 times', 'and end'],
  ])
  expect((await read(readMail, `${head}\nbegin 644 times\nand end\n`)).lines.slice(2)).toEqual([
    ...['begin 644 times', 'and end'],
  ])
})

test('a large file that is uuencoded is attached', async () => {
  const line = `M${'8'.repeat(60)}\n`
  const mail = `${head}\n\nbegin 644 large.pdf\n${line.repeat(110_000)}\`\nend\n\nBye\n`
  const found = await read(readMail, mail)
  expect(found).toMatchObject({ names: ['large.pdf'], isDamaged: false })
  expect(found.lines.at(-1)).toBe('Bye')
})

test('a mail that Apple Mail keeps is read between its length and what is noted about it', async () => {
  const mail = `${head}Subject: Fig jam\n\nGrüße\n`
  const kept = `${Buffer.byteLength(mail)}      \n${mail}<?xml version="1.0"?><plist><key>flags</key></plist>\n`
  expect((await read(readMail, kept)).lines).toEqual([
    ...['Fig jam', 'From: a@example.org', 'To: b@example.org', 'Grüße'],
  ])
})

test('the members of a group are recipients', async () => {
  const mail = 'From: a@example.org\nTo: Choir: Ada <ada@x.org>, bo@x.org;, cy@x.org\nCc: Undisclosed recipients:;\n\nx'
  expect((await read(readMail, mail)).lines).toEqual(
    expect.arrayContaining(['To: Ada <ada@x.org>, bo@x.org, cy@x.org', 'Cc: Undisclosed recipients']),
  )
})

test('a page that is attached is read as one, however it begins', async () => {
  const page = '<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<dl><dt><a href="https://figs.example">All about figs</a></dl>'
  expect((await read(readMail, mixed(attached('bookmarks.htm', page)))).lines.slice(-2)).toEqual([
    ...['bookmarks.htm', 'All about figs'],
  ])
})

test('a mailbox is parted at real separators alone', async () => {
  const mail = (words: string) => `From x Mon Mar  4 10:00:00 2024\n${head}Subject: ${words}\n\nHello\n\n`
  const sentence = 'From all of us, at 10:00 sharp.\nThe garden too.\n\n'
  const { pages } = await read(readMailbox, mail('figs') + sentence + mail('quails'))
  expect(pages.map(([subject]) => subject)).toEqual(['figs', 'quails'])
  expect(pages[0]).toEqual(expect.arrayContaining(['From all of us, at 10:00 sharp.', 'The garden too.']))
})

test.each(['From 1844347792267117879@xxx', 'From -', 'From - '])(
  'a mailbox whose separators have no time is parted at them: %s',
  async (separator) => {
    const mail = (words: string) =>
      `${separator}\n${head}Subject: ${words}\n\nHello\n\nFrom Russia with love\nYear: 1963\n\n`
    const { pages } = await read(readMailbox, mail('figs') + mail('quails'))
    expect(pages.map(([subject]) => subject)).toEqual(['figs', 'quails'])
    expect(pages[1]?.slice(-2)).toEqual(['From Russia with love', 'Year: 1963'])
  },
)

test('a line that only looks like an undated separator parts no mailbox', async () => {
  const mail = (separator: string, words: string) =>
    `${separator}\n${head}Subject: figs\n\nHello\n\n${words}\n\nBye\n\n`
  const dated = await read(readMailbox, mail('From x Mon Mar  4 10:00:00 2024', 'From bo@x.org\nTo: ada@x.org'))
  expect(dated.pages.map((page) => page.slice(-3))).toEqual([['From bo@x.org', 'To: ada@x.org', 'Bye']])
  const undated = await read(readMailbox, mail('From 18443@xxx', 'From bo@x.org\nYear: 1963'))
  expect(undated.pages.map((page) => page.slice(-3))).toEqual([['From bo@x.org', 'Year: 1963', 'Bye']])
})

test('a mailbox of one mail has its subject, sender and time; one of several has none', async () => {
  const mail = `From x Mon Mar  4 10:00:00 2024\n${head}Date: Mon, 4 Mar 2024 11:00:00 +0100\nSubject: figs\n\nHello\n\n`
  expect((await read(readMailbox, mail)).facts).toEqual({
    ...{ title: 'figs', author: 'a@example.org', createdAt: new Date('2024-03-04T10:00:00Z') },
  })
  expect((await read(readMailbox, mail.repeat(2))).facts).toEqual({})
})

/** Elements of a page that lie too deep in one another. */
const abyss = '<div>'.repeat(2_001)

test('a mail that cannot be read loses no other mail of its mailbox, and a part of it no other part', async () => {
  const parts = Array.from(
    { length: 60 },
    (_, index) => `Content-Type: multipart/mixed; boundary=b${index}\n\n--b${index}\n`,
  )
  const mails = [
    `${head}Subject: figs\n\nHello\n`,
    `${head}Subject: nested\n${parts.join('')}\nHello\n`,
    `${head}Subject: deep\nContent-Type: text/html\n\n${abyss}\n`,
    `${head}Subject: quails\n\nHello\n`,
  ]
  const box = mails.map((mail) => `From x Mon Mar  4 10:00:00 2024\n${mail}\n`).join('')
  const { pages, isDamaged } = await read(readMailbox, box)
  expect(pages.map(([subject]) => subject)).toEqual(['figs', 'deep', 'quails'])
  expect(isDamaged).toBe(true)
  const forwarded = `--x\nContent-Type: message/rfc822\n\n${mails[1]}\n`
  const one = await read(
    readMail,
    mixed(attached('a.html', `<!doctype html>${abyss}`), forwarded, attached('b.txt', 'plums')),
  )
  expect(one.lines).toContain('plums')
  expect(one.isDamaged).toBe(true)
  expect((await read(readMailbox, mails[0] ?? '')).isDamaged).toBe(false)
})

test('a chapter that cannot be read loses no other chapter of its book', async () => {
  const texts = ['Figs', abyss, 'Quails']
  const { pages, isDamaged } = await read(
    readEpub,
    await bookOf(texts.map((text, index) => ({ title: `${index + 1}`, text }))),
  )
  expect(pages.map((lines) => lines.join(' '))).toEqual(['1 Figs', '2', '3 Quails'])
  expect(isDamaged).toBe(true)
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

/** A `winmail.dat` of attributes (level, id, content) as Outlook writes them. */
function winmail(...attributes: [level: number, id: number, content: Buffer][]): Buffer {
  const parts = attributes.map(([level, id, content]) => {
    const head = Buffer.alloc(9)
    head.writeUInt8(level)
    head.writeUInt32LE(id, 1)
    head.writeUInt32LE(content.length, 5)
    return Buffer.concat([head, content, Buffer.alloc(2)])
  })
  return Buffer.concat([Buffer.from('789f3e220100', 'hex'), ...parts])
}
/** Properties of text in Unicode, one for each id. */
function properties(texts: Record<number, string>): Buffer {
  const parts = Object.entries(texts).map(([id, text]) => {
    const value = Buffer.from(`${text}\0`, 'utf16le')
    const head = Buffer.alloc(12)
    head.writeUInt32LE(Number(id) * 0x10000 + 0x1f)
    head.writeUInt32LE(1, 4)
    head.writeUInt32LE(value.length, 8)
    return Buffer.concat([head, value, Buffer.alloc((4 - (value.length % 4)) % 4)])
  })
  const count = Buffer.alloc(4)
  count.writeUInt32LE(parts.length)
  return Buffer.concat([count, ...parts])
}

test('what Outlook packed into a winmail.dat is read as if it had been attached, up to where it is damaged', async () => {
  const beginning = Buffer.alloc(14)
  const packed = winmail(
    [1, 0x00069003, properties({ 55: 'The Lamp', 4096: 'It is an angle-poise: größer.' })],
    [2, 0x00069002, beginning],
    [2, 0x00018010, Buffer.from('NOTES~1.TXT\0')],
    [2, 0x0006800f, Buffer.from('The bulb is a E14.')],
    [2, 0x00069005, properties({ 14087: 'notes of the bulb.txt' })],
    [2, 0x00069002, beginning],
    [2, 0x00018010, Buffer.from('bill.pdf\0')],
    [2, 0x0006800f, Buffer.from('%PDF-1.4 lost')],
  )
  const inMail = (file: Buffer) => mixed(attached('winmail.dat', file.toString('latin1')))
  const whole = await read(readMail, inMail(packed))
  expect(whole.lines).toEqual(
    expect.arrayContaining(['It is an angle-poise: größer.', 'notes of the bulb.txt', 'The bulb is a E14.']),
  )
  expect(whole.lines.join('\n')).toContain('notes of the bulb.txt, bill.pdf')
  expect(whole.lines.join('\n')).not.toContain('winmail')
  expect(whole.names).toEqual(['bill.pdf'])
  const cut = await read(readMail, inMail(packed.subarray(0, -8)))
  expect(cut.lines).toContain('The bulb is a E14.')
  expect(cut.names).toEqual([])
})

/** A book of files by their types, in their order unless they are only fallbacks. */
const bookWith = (files: [name: string, type: string, content: string, fallback?: string][], metadata = '') => {
  const fallbacks = new Set(files.map(([, , , fallback]) => fallback))
  const items = files.map(
    ([name, type, , fallback]) =>
      `<item id="${name}" href="${name}" media-type="${type}"${fallback ? ` fallback="${fallback}"` : ''}/>`,
  )
  const order = files.flatMap(([name]) => (fallbacks.has(name) ? [] : [`<itemref idref="${name}"/>`]))
  return zipOf({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': '<container><rootfile full-path="in/book.opf"/></container>',
    'in/book.opf': `<package xmlns:dc="x"><metadata>${metadata}</metadata><manifest>${items.join('')}</manifest><spine>${order.join('')}</spine></package>`,
    ...Object.fromEntries(files.map(([name, , content]) => [`in/${name}`, content])),
  })
}
const xhtml = 'application/xhtml+xml'
const pageOf = (content: string) => `<html><body>${content}</body></html>`
const drawnPage = (picture: string) =>
  pageOf(`<svg xmlns="http://www.w3.org/2000/svg"><title>x</title><image xlink:href="${picture}"/></svg>`)

describe('a book', () => {
  test('of drawings has a page for each, with its words and its picture', async () => {
    const lines =
      '<text x="1" y="10">Call me<title>tooltip</title><style>text{}</style></text><text x="1" y="20">Ish<tspan>mael</tspan><tspan y="30">.</tspan></text>'
    const book = await bookWith([
      ['1.svg', 'image/svg+xml', `<svg><title>x</title><style>text{}</style>${lines}</svg>`],
      ['2.xhtml', xhtml, pageOf(`<p>Moby</p><svg:svg><svg:image href="a.png"/><svg:text>Dick</svg:text></svg:svg>`)],
    ])
    const { pages, pictures } = await read(readEpub, book)
    expect(pages).toEqual([
      ['Call me', 'Ishmael', '.'],
      ['Moby', 'Dick'],
    ])
    expect(pictures).toBe(1)
  })

  test.each([
    ['<meta property="rendition:layout">pre-paginated</meta>', [0, 1, 0]],
    ['<meta name="fixed-layout" content="true"/>', [0, 1, 0]],
    ['', [1, 0, 0, 0, 0, 0]],
  ])('of pictures is read although one page has words: %s', async (metadata, lines) => {
    const book = await bookWith(
      [
        ['1.xhtml', xhtml, drawnPage('a%20b.png')],
        ['2.xhtml', xhtml, pageOf('<p>Printed in Vienna</p>')],
        ...Array.from({ length: lines.length - 2 }, (_, n): [string, string, string] => [
          `c ${n}.png`,
          'image/png',
          '',
        ]),
      ],
      metadata,
    )
    const { pages, pictures } = await read(readEpub, book)
    expect({ lines: pages.map((page) => page.length), pictures }).toEqual({ lines, pictures: lines.length - 1 })
  })

  test('of one chapter has no cover behind its words', async () => {
    const book = await bookWith([
      ['cover.xhtml', xhtml, drawnPage('a.png')],
      ['title.xhtml', xhtml, drawnPage('b.png')],
      ['1.xhtml', xhtml, pageOf('<p>Call me Ishmael.</p>')],
    ])
    expect((await read(readEpub, book)).pages).toEqual([['Call me Ishmael.']])
  })

  test('with a picture or an unknown file in its order has what stands for it', async () => {
    const book = await bookWith([
      ['1.png', 'image/png', '', '1.xhtml'],
      ['1.xhtml', xhtml, pageOf('<p>A whale</p>')],
      ['2.json', 'application/json', '{}', '2.xml'],
      ['2.xml', 'application/xml', '<x/>', '2.xhtml'],
      ['2.xhtml', xhtml, pageOf('<p>A ship</p>')],
    ])
    expect(await read(readEpub, book)).toMatchObject({ pages: [['A whale'], ['A ship']], pictures: 1 })
  })

  test('has the name of who wrote it; of others only where nobody did', async () => {
    const page = pageOf('<p>Call me Ishmael.</p>')
    const illustrator = '<dc:creator id="b">Bo</dc:creator><meta refines="#b" property="role">ill</meta>'
    const creators = `<dc:creator opf:role="aut">Ada</dc:creator><dc:creator opf:role="trl">Cy</dc:creator>${illustrator}`
    expect((await read(readEpub, await bookWith([['1.xhtml', xhtml, page]], creators))).facts.author).toBe('Ada')
    expect((await read(readEpub, await bookWith([['1.xhtml', xhtml, page]], illustrator))).facts.author).toBe('Bo')
  })

  test('has words outside of its root', async () => {
    const page = `<!DOCTYPE html [<!ENTITY a "b">\n<!ENTITY c "d"> ] >${pageOf('<p>Call me</p>')}Ishmael`
    expect((await read(readEpub, await bookWith([['1.xhtml', xhtml, page]]))).lines).toEqual(['Call me', 'Ishmael'])
  })

  test('has all its authors, and no words of its document type', async () => {
    const page = `<!DOCTYPE html [<!ENTITY a "b"> ]>${pageOf('<p>Call me Ishmael.</p>')}`
    const metadata = '<dc:title>Moby</dc:title><dc:creator> Ada  Quibble </dc:creator><dc:creator>Bo</dc:creator>'
    const { facts, lines } = await read(readEpub, await bookWith([['1.xhtml', xhtml, page]], metadata))
    expect(facts).toEqual({ title: 'Moby', author: 'Ada Quibble, Bo', createdAt: null })
    expect(lines).toEqual(['Call me Ishmael.'])
  })
})

describe('notes of Evernote', () => {
  const noteOf = (title: string, content: string, more = '') =>
    `<note><title>${title}</title><content><![CDATA[<?xml version="1.0"?>\n<!DOCTYPE en-note SYSTEM "x.dtd"><en-note>${content}</en-note>]]></content><created>20230120T204520Z</created>${more}</note>`
  const exportOf = (...notes: string[]) =>
    `<?xml version="1.0"?>\n<!DOCTYPE en-export SYSTEM "x.dtd">\n<en-export>${notes.join('\n')}</en-export>`
  const fileOf = (name: string, type: string, content: string) =>
    `<resource><data encoding="base64">\n${Buffer.from(content).toString('base64')}\n</data><mime>${type}</mime><resource-attributes><file-name>${name}</file-name></resource-attributes></resource>`

  test('have their title, time, tags, boxes, tasks, tables, address and files', async () => {
    const lists = [
      '<div><en-todo checked="true"/>Figs</div><div><en-todo/>Dates</div>',
      '<ul style="--en-todo:true;"><li style="--en-checked:false;"><div>Jam</div></li><li style="--en-checked:true;">Tea</li></ul>',
      '<div style="--en-task-group:true">Content not supported</div><en-crypt hint="x">RU5DMCR2SQ</en-crypt>',
      '<table><tr><td>a</td><td>b&nbsp;c</td></tr></table>',
    ]
    const more = [
      '<tag>kitchen</tag><tag>todo</tag>',
      '<note-attributes><author>Ada</author><source-url>https://figs.example</source-url></note-attributes>',
      '<task><title>Call Bo</title><taskStatus>completed</taskStatus><reminder><title>x</title></reminder></task>',
      fileOf('list.txt', 'text/plain', 'Käse') + fileOf('a.pdf', 'application/pdf', '%PDF-1.7'),
      fileOf('a.png', 'image/png', '\x89PNG'),
    ]
    const found = await read(readNotes, exportOf(noteOf('Shopping &amp; more', lists.join(''), more.join(''))))
    expect(found).toMatchObject({ pictures: 1, names: ['a.pdf'], isDamaged: false })
    expect(found.facts).toEqual({
      ...{ title: 'Shopping & more', author: 'Ada', createdAt: new Date('2023-01-20T20:45:20Z') },
    })
    expect(found.lines).toEqual([
      ...['Shopping & more', 'Created: 2023-01-20T20:45:20.000Z', 'Tags: kitchen, todo'],
      ...['Attachments: list.txt, a.pdf, a.png', '☑ Figs', '☐ Dates', '• ☐ Jam', '• ☑ Tea', 'a | b c', '• ☑ Call Bo'],
      ...['https://figs.example', 'list.txt', 'Käse'],
    ])
  })

  test('may have words without markup, and the state of a task in pieces', async () => {
    const task = '<task><title>Jam</title><taskStatus>comp<!-- -->leted</taskStatus></task>'
    const note = `<note><title>Plain</title><content><![CDATA[Figs & dates]]></content>${task}</note>`
    expect((await read(readNotes, exportOf(note))).lines).toEqual(['Plain', 'Figs & dates', '• ☑ Jam'])
  })

  test('have no box of an empty item on what follows it', async () => {
    const list = '<ul><li style="--en-checked:true;"></li></ul><p>Figs</p>'
    expect((await read(readNotes, exportOf(noteOf('List', list)))).lines.at(-1)).toBe('Figs')
  })

  test('have a bounded number of files and tags, each with its own', async () => {
    const file = fileOf('a.txt', 'text/plain', 'Käse')
    const tags = Array.from({ length: 101 }, (_, n) => `<tag>t${n}</tag>`)
    const { lines } = await read(readNotes, exportOf(noteOf('Many', '', tags.join('') + file.repeat(102))))
    expect(lines.filter((line) => line === 'Käse')).toHaveLength(100)
    expect(lines.find((line) => line.startsWith('Tags:'))).toMatch(/, t98, t99$/)
  })

  test('have files of some megabytes; those beyond that are named only', async () => {
    const file = fileOf('a.pdf', 'application/pdf', '%PDF'.padEnd(9 * 1024 * 1024))
    const { names, lines, isDamaged } = await read(readNotes, exportOf(noteOf('Large', '<p>x</p>', file.repeat(5))))
    expect({ names, isDamaged }).toEqual({ names: ['a.pdf', 'a.pdf', 'a.pdf'], isDamaged: true })
    expect(lines).toContain('Attachments: a.pdf, a.pdf, a.pdf, a.pdf, a.pdf')
  })

  test('are cut where they are too long, at once', async () => {
    const content = 'figs '.repeat(2_000_000) + '&lt;'.repeat(10_000)
    const startedMs = performance.now()
    const long = read(readNotes, exportOf(`<note><content>${content}</content></note>`))
    await expect(long).rejects.toThrow('longer than what is read')
    expect(performance.now() - startedMs).toBeLessThan(10_000)
  })

  test('are read up to where their export is cut off, which is noted', async () => {
    const cut = exportOf(
      noteOf('One', '<p>first</p>'),
      noteOf('Two', '<p>last</p>', fileOf('a.pdf', 'application/pdf', '%PDF')),
    )
    const at = (end: string) => read(readNotes, cut.slice(0, cut.lastIndexOf(end)))
    const half = await at('</p>')
    expect(half.pages.map((page) => page.at(-1))).toEqual(['first', 'last'])
    expect(half).toMatchObject({ isDamaged: true, facts: {} })
    expect(await at('</resource>')).toMatchObject({ names: [], isDamaged: true })
    expect(await at('</en-export>')).toMatchObject({ names: ['a.pdf'], isDamaged: false })
  })

  test('are read one after the other, whatever is in one of them', async () => {
    const { pages, facts, isDamaged } = await read(
      readNotes,
      exportOf(noteOf('One', '<p>first'), noteOf('Two', abyss), noteOf('Three', '<p>last</p>')),
    )
    expect(pages.map((page) => [page[0], page.at(-1)])).toEqual([
      ['One', 'first'],
      ['Two', 'Created: 2023-01-20T20:45:20.000Z'],
      ['Three', 'last'],
    ])
    expect({ facts, isDamaged }).toEqual({ facts: {}, isDamaged: true })
  })
})
