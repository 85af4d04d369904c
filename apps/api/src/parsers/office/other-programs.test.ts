import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
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
