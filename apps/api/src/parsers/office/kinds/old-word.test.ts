import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CFB } from '@e965/xlsx'
import { afterAll, expect, test } from 'vitest'
import { createPaperWriter } from '../paper-writer.ts'
import { readOldWord } from './old-word.ts'

const folder = mkdtempSync(join(tmpdir(), 'mira-old-word-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Word6 {
  text: Buffer
  /** Pieces of the text since the last quick save. */
  pieces?: [characters: number, offset: number][]
  /** Character set of each font. */
  charsets?: number[]
  version?: number
}

const TEXT_AT = 0x300
const numbers = (...values: number[]) => Buffer.from(Uint32Array.from(values).buffer)

/** A document of Word 6 or 95, whose lists follow the text. */
function word6({ text, pieces, charsets = [], version = 0xa5dc }: Word6): Buffer {
  const fonts = Buffer.concat([
    Buffer.alloc(2),
    ...charsets.map((charset) => Buffer.from([7, 0, 0, 0, charset, 0, 65, 0])),
  ])
  let end = 0
  const ends = (pieces ?? []).map(([characters]) => (end += characters))
  const places = (pieces ?? []).map(([, offset]) =>
    Buffer.concat([Buffer.alloc(2), numbers(TEXT_AT + offset), Buffer.alloc(2)]),
  )
  const list = Buffer.concat([numbers(0, ...ends), ...places])
  const pieceList = Buffer.concat([Buffer.from([2]), numbers(list.length), list])
  const header = Buffer.alloc(TEXT_AT)
  header.writeUInt16LE(version, 0)
  header.writeUInt16LE(0x409, 6)
  header.writeUInt16LE(pieces === undefined ? 0 : 4, 10)
  const textEnd = TEXT_AT + text.length
  numbers(TEXT_AT, textEnd).copy(header, 0x18)
  numbers(textEnd, fonts.length).copy(header, 0xd0)
  numbers(textEnd + fonts.length, pieceList.length).copy(header, 0x160)
  const file = CFB.utils.cfb_new()
  CFB.utils.cfb_add(file, '/WordDocument', Buffer.concat([header, text, fonts, pieceList]))
  return Buffer.from(CFB.write(file, { type: 'buffer' }) as Uint8Array)
}

async function textOf(document: Word6): Promise<string> {
  const filename = join(folder, 'file.doc')
  writeFileSync(filename, word6(document))
  const writer = createPaperWriter()
  await readOldWord(filename, writer, () => undefined)
  return writer
    .pages()
    .map(({ text }) => text)
    .join('\n')
}

test.each([
  ['Russian', 204, 'cfeeeae0202d20c4eeec', 'Пока - Дом'],
  ['Greek', 161, 'cae1ebe7ecddf1e1', 'Καλημέρα'],
  ['Czech', 238, '70f865642037', 'před 7'],
  ['French of a Macintosh', 77, '6cd58e748e', 'l’été'],
])('a document of Word 6 is in the language of its fonts: %s', async (_language, charset, bytes, words) => {
  expect(await textOf({ text: Buffer.from(bytes, 'hex'), charsets: [0, 2, charset] })).toBe(words)
})

test('a Western document of Word 6 may list fonts of other alphabets', async () => {
  const text = Buffer.from('Société à Zürich', 'latin1')
  expect(await textOf({ text, charsets: [0, 128, 204] })).toBe('Société à Zürich')
})

test('a document of Word 6 is in pieces since it was saved quickly', async () => {
  const pieces: Word6['pieces'] = [
    [8, 17],
    [8, 8],
  ]
  expect(await textOf({ text: Buffer.from('deleted figs and quinces '), pieces })).toBe('quinces figs and')
})

test('a document of Word 6 for East Asia has two bytes a character', async () => {
  const text = Buffer.from('京都 Tea', 'utf16le')
  expect(await textOf({ text, version: 0xa698 })).toBe('京都 Tea')
  const pieces: Word6['pieces'] = [
    [3, 6],
    [2, 0],
  ]
  expect(await textOf({ text, version: 0xa698, pieces })).toBe('Tea京都')
})
