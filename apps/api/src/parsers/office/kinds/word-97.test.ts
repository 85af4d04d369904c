import { expect, test, vi } from 'vitest'
import { processorMs } from '../../../../test/fastest.ts'
import { createDocumentWriter } from '../document-writer.ts'
import { openWord97 } from './word-97.ts'

const HEADER_BYTES = 512

const numbers = (...values: number[]) => {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, 4 * index)
  return bytes
}

/** Table of pieces of single-byte characters in text order: their length and offset in the file. */
function pieceList(pieces: [length: number, start: number][]): Buffer {
  let end = 0
  const ends = pieces.map(([length]) => (end += length))
  const places = pieces.map(([, start]) =>
    Buffer.concat([Buffer.alloc(2), numbers(start * 2 + 0x40000000), Buffer.alloc(2)]),
  )
  const list = Buffer.concat([numbers(0, ...ends), ...places])
  return Buffer.concat([Buffer.from([2]), numbers(list.length), list])
}

interface Word97 {
  text: string
  pieces?: [length: number, start: number][]
  headerCharacters?: number
  headerStories?: number[]
  pages?: number[]
}

function word97({
  text,
  pieces = [[text.length, HEADER_BYTES]],
  headerCharacters = 0,
  headerStories = [],
  pages = [],
}: Word97) {
  const document = Buffer.concat([Buffer.alloc(HEADER_BYTES), Buffer.from(text, 'latin1')])
  const tables: Buffer[] = []
  let end = 0
  const add = (offset: number, content: Buffer) => {
    numbers(end, content.length).copy(document, offset)
    tables.push(content)
    end += content.length
  }
  add(0x1a2, pieceList(pieces))
  add(0xf2, numbers(...headerStories))
  add(0xfa, numbers(...pages.map(() => 0), 0, ...pages))
  const characters = pieces.reduce((sum, [length]) => sum + length, 0)
  numbers(characters - headerCharacters, 0, headerCharacters).copy(document, 0x4c)
  return { document, open: () => openWord97(document, () => Buffer.concat(tables)) }
}

function bodyOf(paper: Word97): string[] {
  const writer = createDocumentWriter()
  word97(paper).open().write('body', writer)
  return writer.pages().flatMap(({ text }) => text.split('\n').filter((line) => line !== ''))
}

function headersOf(paper: Word97): string[] {
  const writer = createDocumentWriter()
  word97(paper).open().writeHeaders('headers', writer)
  return writer.pages().flatMap(({ text }) => text.split('\n').filter((line) => line !== ''))
}

test('reads a text in pieces in order', () => {
  const pieces: [number, number][] = [
    [5, HEADER_BYTES + 5],
    [5, HEADER_BYTES],
  ]
  expect(bodyOf({ text: 'figs\rPlum ', pieces })).toEqual(['Plum figs'])
})

test('rejects a list of pieces that repeats the same text as damaged', () => {
  const pieces = Array.from({ length: 100 }, (): [number, number] => [50_000, HEADER_BYTES])
  expect(() => bodyOf({ text: 'x'.repeat(50_000), pieces })).toThrow(
    expect.objectContaining({ code: 'damaged_document' }),
  )
})

test('reads a header story only once when it’s listed repeatedly', () => {
  const stories = Array.from({ length: 3_000 }, (_, index) => (index % 2 === 0 ? 0 : 5))
  expect(headersOf({ text: 'Figs\r', headerCharacters: 5, headerStories: stories })).toEqual(['Figs'])
})

test('reads as many header stories as pieces within seconds', async () => {
  const count = 30_000
  const pieces = Array.from({ length: count }, (_, index): [number, number] => [1, HEADER_BYTES + index])
  const headerStories = Array.from({ length: count }, (_, index) => index)
  const read = () => headersOf({ text: 'x'.repeat(count), pieces, headerCharacters: count, headerStories })
  expect(await processorMs(read)).toBeLessThan(5_000)
})

test('reads each page of formats once, however often it’s listed', () => {
  const { document, open } = word97({ text: 'Figs\r'.padEnd(1_024), pages: Array.from({ length: 10_000 }, () => 1) })
  const subarray = vi.spyOn(document, 'subarray')
  open()
  expect(subarray.mock.calls.length).toBeLessThan(100)
})

test('reads 100,000 open fields in one paragraph within seconds', async () => {
  const [count, field] = [100_000, '\x13\x14']
  const text = `${field.repeat(count)}Figs${'\x1f'.repeat(count)}\r\x13 TOC \x14quinces\x15`
  expect(await processorMs(() => expect(bodyOf({ text })).toEqual(['Figs', 'quinces']))).toBeLessThan(5_000)
})
