import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { chaptersOfFile } from './file-chapters.ts'

function box(type: string, ...content: Buffer[]): Buffer {
  const header = Buffer.alloc(8)
  header.writeUInt32BE(8 + content.reduce((sum, { length }) => sum + length, 0))
  header.write(type, 4, 'latin1')
  return Buffer.concat([header, ...content])
}

test('a broken list and a broken track don’t hide the chapters of another track', async () => {
  const book = readFileSync(join(import.meta.dirname, '../../../test/video-files/chapters.m4b'))
  const start = book.indexOf('moov') - 4
  const broken = [box('udta', box('chpl', Buffer.alloc(4))), box('trak', box('tkhd', Buffer.alloc(4)))]
  const moov = box('moov', ...broken, book.subarray(start + 8))
  const folder = await mkdtemp(join(tmpdir(), 'mira-chapters-'))
  try {
    const filename = join(folder, 'book.m4b')
    await writeFile(filename, Buffer.concat([book.subarray(0, start), moov]))
    const chapters = await chaptersOfFile(filename, 'mov')
    expect(chapters.map(({ title }) => title)).toEqual(["The keeper's quarrel", 'Fog over Grünau'])
  } finally {
    await rm(folder, { recursive: true })
  }
})
