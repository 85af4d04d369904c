import { expect, test } from 'vitest'
import { attachmentPart, multipartMail } from '../../../../test/mail-texts.ts'
import { parseDocument } from '../../../../test/parse-document.ts'
import { readMail } from './mail.ts'

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
/** Unicode text properties by id. */
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

test('reads the contents of a winmail.dat as if they had been attached, up to any damage', async () => {
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
  const inMail = (file: Buffer) => multipartMail(attachmentPart('winmail.dat', file))
  const complete = await parseDocument(readMail, inMail(packed))
  expect(complete.lines).toEqual(
    expect.arrayContaining(['It is an angle-poise: größer.', 'notes of the bulb.txt', 'The bulb is a E14.']),
  )
  expect(complete.lines.join('\n')).toContain('notes of the bulb.txt, bill.pdf')
  expect(complete.lines.join('\n')).not.toContain('winmail')
  expect(complete.names).toEqual(['bill.pdf'])
  const truncated = await parseDocument(readMail, inMail(packed.subarray(0, -8)))
  expect(truncated.lines).toContain('The bulb is a E14.')
  expect(truncated.names).toEqual([])
})
