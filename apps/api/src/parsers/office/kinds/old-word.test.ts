import { CFB } from '@e965/xlsx'
import { describe, expect, test } from 'vitest'
import { readOfficeFile } from '../../../../test/document-files.ts'
import { processorMs } from '../../../../test/fastest.ts'
import { linesOf } from '../../../../test/parse-document.ts'
import { readOldWord } from './old-word.ts'

describe('a Word 97 document', () => {
  /** The document with its main stream changed. */
  const changed = (change: (document: Buffer) => void): Buffer => {
    const file = CFB.read(readOfficeFile('table.doc'), { type: 'buffer' })
    const stream = CFB.find(file, '/WordDocument')
    const document = Buffer.from(stream?.content as Uint8Array)
    change(document)
    CFB.utils.cfb_add(file, '/WordDocument', document)
    return Buffer.from(CFB.write(file, { type: 'buffer' }) as Uint8Array)
  }

  test('keeps words with a soft or a non-breaking hyphen', async () => {
    const doc = changed((document) => {
      const offset = document.indexOf('paragraph')
      document[offset + 4] = 0x1f
      document[document.indexOf('created') + 3] = 0x1e
    })
    const [first = ''] = await linesOf(readOldWord, doc)
    expect(first).toContain('contains a pararaph')
    expect(first).toContain('cre-ted')
  })

  /** Gives the first letters a property; all letters are in one run, whose formats have their own page. */
  const formatted = (letters: number, property: string) =>
    changed((document) => {
      const start = document.indexOf('This is')
      const runs = document.findLastIndex(
        (_, index) =>
          index % 512 === 0 &&
          document.readUInt32LE(index) === start &&
          document[index + 511] === 1 &&
          document[index + 8] === 0,
      )
      document.writeUInt32LE(start + letters, runs + 4)
      document[runs + 8] = 200
      document[runs + 400] = property.length / 2
      document.write(property, runs + 401, 'hex')
    })

  test('doesn’t take letters with odd spacing for deleted ones', async () => {
    expect((await linesOf(readOldWord, formatted(50, '40880f00')))[0]).toMatch(/^This is a Word document/)
  })

  test.each([
    ['deleted', '000801'],
    ['deleted by a newer Word', '000881'],
    ['hidden', '3c0801'],
  ])('has no text that is %s', async (_name, property) => {
    expect((await linesOf(readOldWord, formatted(8, property)))[0]).toMatch(/^a Word document/)
  })

  test('shows symbols as characters', async () => {
    expect((await linesOf(readOldWord, formatted(1, '096a00001126')))[0]).toMatch(/^☑his is/)
  })
})

interface Word6 {
  text: Buffer
  /** Pieces of the text since the last quick save. */
  pieces?: [characters: number, offset: number][]
  /** Character set of each font. */
  charsets?: number[]
  isMacintosh?: boolean
  version?: number
}

const TEXT_AT = 0x300
const numbers = (...values: number[]) => Buffer.from(Uint32Array.from(values).buffer)

/** Document of Word 6 or 95, with its lists after the text. */
function word6({ text, pieces, charsets = [], isMacintosh = false, version = 0xa5dc }: Word6): Buffer {
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
  header.writeUInt16LE(isMacintosh ? 256 : 0, 0x14)
  const textEnd = TEXT_AT + text.length
  numbers(TEXT_AT, textEnd).copy(header, 0x18)
  numbers(textEnd, fonts.length).copy(header, 0xd0)
  numbers(textEnd + fonts.length, pieceList.length).copy(header, 0x160)
  const file = CFB.utils.cfb_new()
  CFB.utils.cfb_add(file, '/WordDocument', Buffer.concat([header, text, fonts, pieceList]))
  return Buffer.from(CFB.write(file, { type: 'buffer' }) as Uint8Array)
}

const textOf = async (document: Word6) => (await linesOf(readOldWord, word6(document))).join('\n')

/** Longer, because its letters alone don't distinguish it from Western languages. */
const CZECH = {
  words:
    'Vážený pane, dnes večer přišel déšť a řeka stoupla až k mostu, takže se na oběd sejdeme doma. Přineste prosím chléb a také trochu másla, které jsme včera zapomněli koupit.',
  bytes:
    '56e19e656efd2070616e652c20646e6573207665e865722070f8699a656c2064e99a9d206120f8656b612073746f75706c6120619e206b206d6f7374752c2074616b9e65207365206e61206f62ec642073656a64656d6520646f6d612e2050f8696e657374652070726f73ed6d2063686ce96220612074616be92074726f636875206de1736c612c206b746572e9206a736d652076e8657261207a61706f6d6eec6c69206b6f757069742e',
}

test.each([
  ['Russian', 204, 'cfeeeae0202d20c4eeec', 'Пока - Дом'],
  ['Greek', 161, 'cae1ebe7ecddf1e1', 'Καλημέρα'],
  ['Czech', 238, CZECH.bytes, CZECH.words],
])('reads Word 6 in the language of its fonts: %s', async (_language, charset, bytes, words) => {
  expect(await textOf({ text: Buffer.from(bytes, 'hex'), charsets: [0, 2, charset] })).toBe(words)
})

test('reads even a few words of Word 6 in the language of its main font', async () => {
  expect(await textOf({ text: Buffer.from('70f865642037', 'hex'), charsets: [238, 0] })).toBe('před 7')
})

test('reads Word 6 in a Macintosh encoding only when its header says so', async () => {
  const text = Buffer.from('6cd58e748e', 'hex')
  expect(await textOf({ text, charsets: [0, 77], isMacintosh: true })).toBe('l’été')
  expect(await textOf({ text: Buffer.from('Déjà vu', 'latin1'), charsets: [0, 77] })).toBe('Déjà vu')
})

test.each([162, 186, 238])('reads Western Word 6 that lists other Latin fonts: %i', async (charset) => {
  for (const words of [
    'Déjà',
    'Voilà le déjeuner préféré des élèves à la fête, où les pêches étaient mûres et dorées.',
  ])
    expect(await textOf({ text: Buffer.from(words, 'latin1'), charsets: [0, charset] })).toBe(words)
})

test('reads Word 6 that lists thousands of fonts, quickly', async () => {
  const text = Buffer.from('Déjà vu. '.repeat(20_000), 'latin1')
  const read = async () =>
    expect(await textOf({ text, charsets: [0, ...Array<number>(2_000).fill(238)] })).toContain('Déjà vu. Déjà vu.')
  expect(await processorMs(read)).toBeLessThan(10_000)
})

test('reads Western Word 6 that lists fonts of other alphabets', async () => {
  const text = Buffer.from('Société à Zürich', 'latin1')
  expect(await textOf({ text, charsets: [0, 128, 204] })).toBe('Société à Zürich')
})

test('reads the pieces of a quick-saved Word 6 document in order', async () => {
  const pieces: Word6['pieces'] = [
    [8, 17],
    [8, 8],
  ]
  expect(await textOf({ text: Buffer.from('deleted figs and quinces '), pieces })).toBe('quinces figs and')
})

test('reads East Asian Word 6 with two bytes per character', async () => {
  const text = Buffer.from('京都 Tea', 'utf16le')
  expect(await textOf({ text, version: 0xa698 })).toBe('京都 Tea')
  const pieces: Word6['pieces'] = [
    [3, 6],
    [2, 0],
  ]
  expect(await textOf({ text, version: 0xa698, pieces })).toBe('Tea京都')
})
