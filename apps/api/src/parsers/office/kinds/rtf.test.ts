import { describe, expect, test } from 'vitest'
import { linesOf, parseDocument } from '../../../../test/parse-document.ts'
import { readRtf } from './rtf.ts'

describe('RTF', () => {
  test('of TextEdit ends its paragraphs with a backslash and a newline', async () => {
    const rtf =
      "{\\rtf1\\ansi\\ansicpg1252\\cocoartf2761\n{\\fonttbl\\f0\\fswiss\\fcharset0 Helvetica;}\n\\pard\\tx566\n\n\\f0\\fs24 \\cf0 Buy figs\\\nand quinces\\\n\\\nfor K\\'e4the}"
    expect(await linesOf(readRtf, rtf)).toEqual(['Buy figs', 'and quinces', 'for Käthe'])
  })

  test('of Japanese Word has characters whose second byte is a letter or on the next line', async () => {
    const rtf =
      "{\\rtf1\\ansi\\ansicpg932{\\fonttbl{\\f0\\fnil\\fcharset128 MS Mincho;}}\\f0 \\'83\\'81\\'81[\\'83\\'8b\\'82\r\n\\'cc\\'83\\\\\\'83A\\par}"
    expect(await linesOf(readRtf, rtf)).toEqual(['メールのソア'])
  })

  test('has a long title without a gap where an emoji doesn’t fit', async () => {
    const { facts } = await parseDocument(
      readRtf,
      `{\\rtf1{\\info{\\title ${'a'.repeat(999)}\\u-10179?\\u-8704?b}}Figs}`,
    )
    expect(facts.title).toBe('a'.repeat(999))
  })
})

test.each([
  [
    'has a style in the middle of a group, as OpenOffice wrote it',
    '{\\loch\\f2\\*\\cs7\\cf0 The quick fox}\\par',
    ['The quick fox'],
  ],
  ['has cells without a row', '{Fax / Station\\cell Fax / Phone\\cell }', ['Fax / Station | Fax / Phone']],
  [
    'has nested tables',
    '\\intbl\\itap2 Figs\\nestcell Quinces\\nestcell{\\*\\nesttableprops\\nestrow}{\\nonesttables In short\\par}\\itap1 Fruit\\cell\\row',
    ['Figs Quinces; Fruit'],
  ],
  [
    'has nested rows between its own paragraphs and notes',
    '\\intbl In\\par\\itap2 A\\nestcell{\\footnote Note\\par}B\\nestcell\\nestrow C\\nestcell\\nestrow\\pard\\intbl Out\\cell Last\\cell\\row After',
    ['In A B; C; Out | Last', 'After', 'Note'],
  ],
  [
    'has a note after the last of its nested rows, and empty symbols between them',
    '\\intbl\\itap2 A\\nestcell\\nestrow\\-\\nestrow B\\nestcell\\nestrow{\\footnote N\\par}\\pard\\intbl\\cell Last\\cell\\row',
    ['A; B | Last', 'N'],
  ],
  ['has control words named like properties of objects', '\\constructor Figs\\toString \\par', ['Figs']],
  ['has a bullet without a replacement character', '{\\listtext\\u8226 \\tab}First\\par', ['First']],
  ['is followed by something else', 'Body\\par}\xef\x11\0{\\rtf1 more', ['Body']],
])('RTF that %s', async (_name, words, lines) => {
  expect(await linesOf(readRtf, Buffer.from(`{\\rtf1\\ansi ${words}}`, 'latin1'))).toEqual(lines)
})

test('reads RTF with hundreds of thousands of nested rows', async () => {
  const rows = await linesOf(readRtf, `{\\rtf1 \\intbl Figs${'\\nestrow'.repeat(300_000)} Dates\\cell\\row}`)
  expect(rows).toEqual(['Figs; Dates'])
})
