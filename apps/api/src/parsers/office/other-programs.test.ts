import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CFB } from '@e965/xlsx'
import { afterAll, describe, expect, test } from 'vitest'
import { writtenPaper } from '../../../test/paper-files.ts'
import { readOldWord } from './kinds/old-word.ts'
import { readRtf } from './kinds/rtf.ts'
import type { PaperKind } from './paper-kind.ts'
import { createPaperWriter } from './paper-writer.ts'

// Files as programs other than LibreOffice write them.

const folder = mkdtempSync(join(tmpdir(), 'mira-other-programs-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function read(kind: PaperKind, content: string | Buffer) {
  const filename = join(folder, 'file')
  writeFileSync(filename, content)
  const writer = createPaperWriter()
  await kind(filename, writer, () => undefined)
  const pages = writer.pages().map(({ text }) => text.split('\n').filter((line) => line !== ''))
  return { pages, lines: pages.flat(), pictures: writer.pictures(), attachments: writer.attachments() }
}
const linesOf = async (kind: PaperKind, content: string | Buffer) => (await read(kind, content)).lines

describe('RTF', () => {
  test('of TextEdit ends its paragraphs with a backslash and a line end', async () => {
    const rtf =
      "{\\rtf1\\ansi\\ansicpg1252\\cocoartf2761\n{\\fonttbl\\f0\\fswiss\\fcharset0 Helvetica;}\n\\pard\\tx566\n\n\\f0\\fs24 \\cf0 Buy figs\\\nand quinces\\\n\\\nfor K\\'e4the}"
    expect(await linesOf(readRtf, rtf)).toEqual(['Buy figs', 'and quinces', 'for Käthe'])
  })

  test('of Word in Japan has characters whose second byte is a letter, or on the next line', async () => {
    const rtf =
      "{\\rtf1\\ansi\\ansicpg932{\\fonttbl{\\f0\\fnil\\fcharset128 MS Mincho;}}\\f0 \\'83\\'81\\'81[\\'83\\'8b\\'82\r\n\\'cc\\'83\\\\\\'83A\\par}"
    expect(await linesOf(readRtf, rtf)).toEqual(['メールのソア'])
  })
})

describe('DOC', () => {
  /** The document with its streams changed. */
  const changed = (change: (document: Buffer) => void): Buffer => {
    const file = CFB.read(writtenPaper('table.doc'), { type: 'buffer' })
    const stream = CFB.find(file, '/WordDocument')
    const document = Buffer.from(stream?.content as Uint8Array)
    change(document)
    CFB.utils.cfb_add(file, '/WordDocument', document)
    return Buffer.from(CFB.write(file, { type: 'buffer' }) as Uint8Array)
  }

  test('keeps words with a hyphen that may break or that never does', async () => {
    const doc = changed((document) => {
      const at = document.indexOf('paragraph')
      document[at + 4] = 0x1f
      document[document.indexOf('created') + 3] = 0x1e
    })
    const [first = ''] = await linesOf(readOldWord, doc)
    expect(first).toContain('contains a pararaph')
    expect(first).toContain('cre-ted')
  })

  /** Gives the first letters a property; all are in one run, whose formats are on a page of their own. */
  const formatted = (letters: number, property: string) =>
    changed((document) => {
      const start = document.indexOf('This is')
      const runs = document.findLastIndex(
        (_, at) =>
          at % 512 === 0 && document.readUInt32LE(at) === start && document[at + 511] === 1 && document[at + 8] === 0,
      )
      document.writeUInt32LE(start + letters, runs + 4)
      document[runs + 8] = 200
      document[runs + 400] = property.length / 2
      document.write(property, runs + 401, 'hex')
    })

  test('takes no letters that are spaced by an odd width for deleted ones', async () => {
    expect((await linesOf(readOldWord, formatted(50, '40880f00')))[0]).toMatch(/^This is a Word document/)
  })

  test.each([
    ['deleted', '000801'],
    ['deleted by a newer Word', '000881'],
    ['hidden', '3c0801'],
  ])('has no text that is %s', async (_name, property) => {
    expect((await linesOf(readOldWord, formatted(8, property)))[0]).toMatch(/^a Word document/)
  })

  test('shows symbols by their character', async () => {
    expect((await linesOf(readOldWord, formatted(1, '096a00001126')))[0]).toMatch(/^☑his is/)
  })
})
