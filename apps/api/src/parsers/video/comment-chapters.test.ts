import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { chaptersOfFile } from './file-chapters.ts'

const folder = mkdtempSync(join(tmpdir(), 'mira-comment-chapters-'))
afterAll(() => rmSync(folder, { recursive: true }))

const withLength = (value: Buffer) => {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(value.length)
  return Buffer.concat([length, value])
}
/** Vorbis comments with a cover that fills some pages. */
function comments(): Buffer {
  const texts = ['CHAPTER000=00:00:00.000', 'CHAPTER000NAME=Fog over Grünau', `COVER=${'x'.repeat(100_000)}`]
  texts.push('chapter001=01:02:03.500', 'chapter001name=The keeper', 'CHAPTER002=00:00:09', 'TITLE=The Lighthouse')
  const count = Buffer.alloc(4)
  count.writeUInt32LE(texts.length)
  return Buffer.concat([
    withLength(Buffer.from('made here')),
    count,
    ...texts.map((text) => withLength(Buffer.from(text))),
  ])
}

/** Pages of one packet (RFC 3533). */
function pages(packet: Buffer, serial: number): Buffer {
  const lengths = [...Array<number>(Math.floor(packet.length / 255)).fill(255), packet.length % 255]
  const chunks: Buffer[] = []
  for (let from = 0; from < lengths.length; from += 255) {
    const segments = lengths.slice(from, from + 255)
    const header = Buffer.alloc(27)
    header.write('OggS', 'latin1')
    header.writeUInt32LE(serial, 14)
    header[26] = segments.length
    chunks.push(header, Buffer.from(segments), packet.subarray(from * 255, (from + segments.length) * 255))
  }
  return Buffer.concat(chunks)
}

const packet = (start: string) => Buffer.concat([Buffer.from(start, 'latin1'), comments()])
const flacBlock = (kind: number, body: Buffer) => {
  const header = Buffer.alloc(4)
  header.writeUInt32BE(kind * 0x1000000 + body.length)
  return Buffer.concat([header, body])
}

test.each([
  ['Opus', 'ogg', Buffer.concat([pages(Buffer.from('OpusHead'), 7), pages(packet('OpusTags'), 7)])],
  [
    'Vorbis next to another stream',
    'ogg',
    Buffer.concat([
      pages(Buffer.from('\x01vorbis'), 7),
      pages(Buffer.from('fishead'), 8),
      pages(packet('\x03vorbis'), 7),
    ]),
  ],
  ['FLAC', 'flac', Buffer.concat([Buffer.from('fLaC'), flacBlock(0, Buffer.alloc(34)), flacBlock(0x84, comments())])],
  [
    'FLAC after an ID3 tag',
    'flac',
    Buffer.concat([
      Buffer.from('ID3\x04\0\0\0\0\x01\x02', 'latin1'),
      Buffer.alloc(130),
      Buffer.from('fLaC'),
      flacBlock(0x84, comments()),
    ]),
  ],
])('reads the titles and times of chapters in the comments of %s', async (_name, demuxer, file) => {
  const filename = join(folder, 'a')
  writeFileSync(filename, file)
  expect(await chaptersOfFile(filename, demuxer)).toEqual([
    { startSeconds: 0, endSeconds: null, title: 'Fog over Grünau' },
    { startSeconds: 3723.5, endSeconds: null, title: 'The keeper' },
  ])
  for (const length of [0, 3, 30, 60]) {
    writeFileSync(filename, file.subarray(0, length))
    expect(await chaptersOfFile(filename, demuxer)).toEqual([])
  }
})
