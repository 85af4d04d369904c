import { expect, test } from 'vitest'
import { attachmentPart, mailHeaders, multipartMail } from '../../../../test/mail-texts.ts'
import { deeplyNestedHtml, parseDocument } from '../../../../test/parse-document.ts'
import { readMail, readMailbox } from './mail.ts'

test('splits a mailbox only at real separators', async () => {
  const mail = (words: string) => `From x Mon Mar  4 10:00:00 2024\n${mailHeaders}Subject: ${words}\n\nHello\n\n`
  const sentence = 'From all of us, at 10:00 sharp.\nThe garden too.\n\n'
  const { pages } = await parseDocument(readMailbox, mail('figs') + sentence + mail('quails'))
  expect(pages.map(([subject]) => subject)).toEqual(['figs', 'quails'])
  expect(pages[0]).toEqual(expect.arrayContaining(['From all of us, at 10:00 sharp.', 'The garden too.']))
})

test.each(['From 1844347792267117879@xxx', 'From -', 'From - '])(
  'splits a mailbox at separators without a time: %s',
  async (separator) => {
    const mail = (words: string) =>
      `${separator}\n${mailHeaders}Subject: ${words}\n\nHello\n\nFrom Russia with love\nYear: 1963\n\n`
    const { pages } = await parseDocument(readMailbox, mail('figs') + mail('quails'))
    expect(pages.map(([subject]) => subject)).toEqual(['figs', 'quails'])
    expect(pages[1]?.slice(-2)).toEqual(['From Russia with love', 'Year: 1963'])
  },
)

test('doesn’t split a mailbox at a line that only looks like an undated separator', async () => {
  const mail = (separator: string, words: string) =>
    `${separator}\n${mailHeaders}Subject: figs\n\nHello\n\n${words}\n\nBye\n\n`
  const dated = await parseDocument(
    readMailbox,
    mail('From x Mon Mar  4 10:00:00 2024', 'From bo@x.org\nTo: ada@x.org'),
  )
  expect(dated.pages.map((page) => page.slice(-3))).toEqual([['From bo@x.org', 'To: ada@x.org', 'Bye']])
  const undated = await parseDocument(readMailbox, mail('From 18443@xxx', 'From bo@x.org\nYear: 1963'))
  expect(undated.pages.map((page) => page.slice(-3))).toEqual([['From bo@x.org', 'Year: 1963', 'Bye']])
})

test('a mailbox of one mail has its subject, sender and time; one of several has none', async () => {
  const mail = `From x Mon Mar  4 10:00:00 2024\n${mailHeaders}Date: Mon, 4 Mar 2024 11:00:00 +0100\nSubject: figs\n\nHello\n\n`
  expect((await parseDocument(readMailbox, mail)).facts).toEqual({
    ...{ title: 'figs', author: 'a@example.org', createdAt: new Date('2024-03-04T10:00:00Z') },
  })
  expect((await parseDocument(readMailbox, mail.repeat(2))).facts).toEqual({})
})

test('an unreadable mail loses no other mail of its mailbox, and an unreadable part no other part', async () => {
  const parts = Array.from(
    { length: 60 },
    (_, index) => `Content-Type: multipart/mixed; boundary=b${index}\n\n--b${index}\n`,
  )
  const mails = [
    `${mailHeaders}Subject: figs\n\nHello\n`,
    `${mailHeaders}Subject: nested\n${parts.join('')}\nHello\n`,
    `${mailHeaders}Subject: deep\nContent-Type: text/html\n\n${deeplyNestedHtml}\n`,
    `${mailHeaders}Subject: quails\n\nHello\n`,
  ]
  const box = mails.map((mail) => `From x Mon Mar  4 10:00:00 2024\n${mail}\n`).join('')
  const { pages, isDamaged } = await parseDocument(readMailbox, box)
  expect(pages.map(([subject]) => subject)).toEqual(['figs', 'deep', 'quails'])
  expect(isDamaged).toBe(true)
  const forwarded = `--x\nContent-Type: message/rfc822\n\n${mails[1]}\n`
  const single = await parseDocument(
    readMail,
    multipartMail(
      attachmentPart('a.html', `<!doctype html>${deeplyNestedHtml}`),
      forwarded,
      attachmentPart('b.txt', 'plums'),
    ),
  )
  expect(single.lines).toContain('plums')
  expect(single.isDamaged).toBe(true)
  expect((await parseDocument(readMailbox, mails[0] ?? '')).isDamaged).toBe(false)
})

test('keeps attachments of some megabytes from a mail, but only small ones from a mailbox', async () => {
  const scan = (kilobytes: number) => Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(kilobytes * 1024, 7)])
  const part = (name: string, kilobytes: number) =>
    attachmentPart(name, scan(kilobytes)).replaceAll(/[A-Za-z0-9+/=]{76}/g, '$&\n')
  const mail = multipartMail(part('scan.pdf', 2_000), part('film.pdf', 9_000), part('small.pdf', 100))
  const { lines, attachments } = await parseDocument(readMail, mail)
  expect(lines).toContain('Attachments: scan.pdf, film.pdf, small.pdf')
  expect(attachments.map(({ name, content }) => [name, content.length])).toEqual([
    ['scan.pdf', scan(2_000).length],
    ['small.pdf', scan(100).length],
  ])
  const box = await parseDocument(readMailbox, `From x Mon Mar  4 10:00:00 2024\n${mail}`)
  expect(box.attachments.map(({ name }) => name)).toEqual(['small.pdf'])
})

test('skips a mail that Thunderbird marked as deleted', async () => {
  const mail = (words: string, status: string) =>
    `From - Mon Mar  4 10:00:00 2024\nX-Mozilla-Status: ${status}\n${mailHeaders}Subject: ${words}\n\nHello\n\n`
  const { pages } = await parseDocument(
    readMailbox,
    mail('figs', '0001') + mail('gone', '0009') + mail('quails', '1013'),
  )
  expect(pages.map(([subject]) => subject)).toEqual(['figs', 'quails'])
})

test('keeps one copy of a logo that the mails of a mailbox share', async () => {
  const logo = attachmentPart(
    'logo.png',
    Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(500)]),
    'image/png',
  )
  const mail = `From x Mon Mar  4 10:00:00 2024\n${multipartMail(logo)}\n`
  expect((await parseDocument(readMailbox, mail.repeat(3))).pictures).toBe(1)
})
