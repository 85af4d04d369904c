import { expect, test } from 'vitest'
import { attachmentPart, mailHeaders, multipartMail } from '../../../../test/mail-texts.ts'
import { parseDocument } from '../../../../test/parse-document.ts'
import { readMail } from './mail.ts'

test('uuencoded files in the text or in a part become attachments', async () => {
  // encoded by Python's binascii.b2a_uu
  const file = 'begin 644 list.txt\n82\\.D<V4@=6YD($9E:6=E;BP@<V]F;W)T\n`\nend\n'
  const inText = await parseDocument(readMail, `${mailHeaders}\nHello\n\n${file}\nBye\n`)
  expect(inText.lines.slice(2)).toEqual([
    ...['Attachments: list.txt', 'Hello', 'Bye', 'list.txt', 'Käse und Feigen, sofort'],
  ])
  const part = `--x\nContent-Type: application/octet-stream; name=a.bin\nContent-Transfer-Encoding: x-uuencode\n\n${file}`
  expect((await parseDocument(readMail, multipartMail(part))).lines.slice(2)).toEqual([
    ...['Attachments: list.txt', 'list.txt', 'Käse und Feigen, sofort'],
  ])
  const withTextBefore = await parseDocument(
    readMail,
    multipartMail(part.replace('begin', 'begin 644 nothing\nFor Bo\nbegin')),
  )
  expect(withTextBefore.lines.slice(2)).toEqual([
    ...['Attachments: a.bin, list.txt', 'a.bin', 'begin 644 nothing', 'For Bo', 'list.txt', 'Käse und Feigen, sofort'],
  ])
  const text = 'begin 644 times\nand end\n'
  expect((await parseDocument(readMail, multipartMail(attachmentPart('a.txt', text)))).lines.slice(2)).toEqual([
    ...['Attachments: a.txt', 'a.txt', 'begin 644 times', 'and end'],
  ])
  expect((await parseDocument(readMail, `${mailHeaders}\nbegin 644 times\nand end\n`)).lines.slice(2)).toEqual([
    ...['begin 644 times', 'and end'],
  ])
})

test('a large uuencoded file becomes an attachment', async () => {
  const line = `M${'8'.repeat(60)}\n`
  const mail = `${mailHeaders}\n\nbegin 644 large.pdf\n${line.repeat(110_000)}\`\nend\n\nBye\n`
  const large = await parseDocument(readMail, mail)
  expect(large).toMatchObject({ names: ['large.pdf'], isDamaged: false })
  expect(large.lines.at(-1)).toBe('Bye')
})
