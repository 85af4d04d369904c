import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { decodeShortText, decodeText, texts } from './text-decoder.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mira-text-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const { signal } = new AbortController()

/** Encodes a text in an encoding that Node can only decode. */
function encode(text: string, encoding: string): Buffer {
  const decoder = new TextDecoder(encoding)
  const bytesOf = new Map<string, number[]>()
  const addCharacter = (bytes: number[]) => {
    const character = decoder.decode(Uint8Array.from(bytes))
    if (!bytesOf.has(character)) bytesOf.set(character, bytes)
  }
  for (let first = 0; first < 256; first++) addCharacter([first])
  for (let first = 128; first < 256; first++)
    for (let second = 64; second < 256; second++) addCharacter([first, second])
  return Buffer.from([...text].flatMap((character) => bytesOf.get(character) ?? [63]))
}

async function read(content: Uint8Array) {
  const filename = join(folder, 'text.txt')
  await writeFile(filename, content)
  const encoding = await texts.encodingOf(filename, signal)
  let text = ''
  for await (const piece of texts.decode(filename, encoding, signal)) text += piece
  return { encoding, text }
}

const samples = {
  english: 'The parcel from the harbour came on Tuesday, “unopened”, and cost £20.',
  german:
    'Über die Brücke führt ein schmaler Weg. Größe und Maß stehen im Heft; die Äpfel wären süß, sagte Frau Müller.',
  french: 'À l’été, le garçon a mangé des crêpes près de la forêt ; où est passée la clé de la boîte à gâteaux ?',
  spanish: 'El año que viene, ¿quién cuidará del jardín? La señora Núñez pidió café y un kilo de piñas.',
  russian: 'В субботу мы поехали на дачу, потому что погода была хорошая, и собирали яблоки до самого вечера.',
  japanese:
    '土曜日に友達と図書館へ行きました。とても静かで、古い地図をたくさん見ることができました。カタカナもあります。',
  thai: 'วันเสาร์เราไปห้องสมุดกับเพื่อน เงียบมาก และได้ดูแผนที่เก่าหลายแผ่น',
}

test.each([
  ['utf-8', samples.german],
  ['utf-8', samples.japanese],
  ['windows-1252', samples.english],
  ['windows-1252', samples.german],
  ['windows-1252', samples.french],
  ['windows-1252', samples.spanish],
  ['windows-1251', samples.russian],
  ['koi8-r', samples.russian],
  ['shift_jis', samples.japanese],
  ['euc-jp', samples.japanese],
  // lead bytes of these are Thai consonants
  ['euc-jp', 'エレメントのラベルを入れる'],
  ['euc-kr', '다음에 다시 만나자고 했다.'],
  ['euc-kr', '사고 자료를 다시 확인하고 보고해 달라고 했다'],
  ['windows-874', samples.thai],
])('reads a text in %s: %s', async (encoding, text) => {
  const content = encoding === 'utf-8' ? Buffer.from(text) : encode(text, encoding)
  expect(await read(content)).toEqual({ encoding, text })
})

test('reads a text with a byte order mark, without the mark', async () => {
  const utf16 = Buffer.from(`\uFEFF${samples.german}`, 'utf16le')
  expect(await read(utf16)).toEqual({ encoding: 'utf-16le', text: samples.german })
  expect(await read(Buffer.from(utf16).swap16())).toEqual({ encoding: 'utf-16be', text: samples.german })
  expect(await read(Buffer.from(`\uFEFF${samples.german}`))).toEqual({ encoding: 'utf-8', text: samples.german })
})

test('normalises line ends and keeps characters intact, wherever the file is cut into chunks', async () => {
  const line = 'Ein Satz über Käse und Öl.\r\n'
  const { text } = await read(Buffer.from(line.repeat(10_000)))
  expect(text).toBe(line.replace('\r\n', '\n').repeat(10_000))
  expect((await read(Buffer.from('a\rb\r'))).text).toBe('a\nb\n')
})

test('reads a text in ISO-2022-JP, whose bytes are all ASCII', async () => {
  const bytes = Buffer.from('Subject: \x1b$B$3$s$K$A$O\x1b(B\n', 'latin1')
  expect(await read(bytes)).toEqual({ encoding: 'iso-2022-jp', text: 'Subject: こんにちは\n' })
  expect(decodeText(bytes)).toBe('Subject: こんにちは\n')
})

test('reads a log without its colours and links, wherever the file is cut into chunks', async () => {
  const line = '\x1b[1;31mERROR\x1b(B\x1b[m: \x1b]8;;https://example.org/a\x1b\\refused\x1b]8;;\x07 [31m\n'
  for (const start of ['', ' ', 'xy']) {
    const { text } = await read(Buffer.from(start + line.repeat(5000)))
    expect(text).toBe(start + 'ERROR: refused [31m\n'.repeat(5000))
  }
  expect((await read(Buffer.from('one\r\r\n'.repeat(30_000)))).text).toBe('one\n'.repeat(30_000))
  expect((await read(Buffer.from('a\x1b['))).text).toBe('a\x1b[')
})

test('reads accented letters alone as Western, not as Thai', async () => {
  expect((await read(encode('éêçîèé '.repeat(20), 'windows-1252'))).encoding).toBe('windows-1252')
})

test('reads an empty file and one of all byte values', async () => {
  expect(await read(Buffer.alloc(0))).toEqual({ encoding: 'utf-8', text: '' })
  const { text } = await read(Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)))
  expect(text.length).toBeGreaterThan(0)
})

test('reads a truncated short text in the encoding of its byte order mark', () => {
  const utf16 = Buffer.from('\uFEFFKäthe', 'utf16le')
  expect(decodeShortText(Buffer.concat([utf16, Buffer.of(0x41)]))).toBe('Käthe\uFFFD')
  expect(decodeShortText(Buffer.from('\uFEFFKäthe').subarray(0, 5))).toBe('K\uFFFD')
  expect(decodeShortText(Buffer.from('K\xe4the', 'latin1'))).toBe('Käthe')
})
