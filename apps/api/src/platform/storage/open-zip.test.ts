import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openKnownZip, openZip, type ZipEntry, zipOf } from './zip.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mira-zip-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** Signature of a file's entry in the central directory, and offset of its flags. */
const CENTRAL_ENTRY = Buffer.from('PK\x01\x02', 'latin1')
const FLAGS_OFFSET = 8

/** Writes an archive without the flag for UTF-8 names, as the Finder of macOS does. */
async function writeWithoutUtf8Flag(archive: Buffer): Promise<string> {
  for (let offset = archive.indexOf(CENTRAL_ENTRY); offset >= 0; offset = archive.indexOf(CENTRAL_ENTRY, offset + 1)) {
    archive.writeUInt16LE(archive.readUInt16LE(offset + FLAGS_OFFSET) & ~0x800, offset + FLAGS_OFFSET)
  }
  const filename = join(folder, 'archive.zip')
  await writeFile(filename, archive)
  return filename
}

const zipWith = (...names: string[]): Promise<Buffer> =>
  buffer(
    zipOf(
      Readable.from(
        names.map((name): ZipEntry => {
          return { name, modifiedAt: new Date(), content: Readable.from([name]), isCompressible: false }
        }),
      ),
    ),
  )

test('names in UTF-8 are read as such, even without the flag for them', async () => {
  const names = ['Grüße/Café.jpg', '写真.heic', 'plain.txt']
  const zip = await openZip(await writeWithoutUtf8Flag(await zipWith(...names)))
  try {
    expect([...zip.sizes.keys()]).toEqual(names)
    for (const name of names) expect(await text(await zip.open(name))).toBe(name)
  } finally {
    zip.close()
  }
})

test.each([
  ['DOS', '82', 'é'],
  ['Windows in Western Europe', 'd6', 'Í'],
  ['Windows in Western Europe', '996c', 'Öl'],
  ['Windows in Western Europe', '9074825f31', 'Été_1'],
  ['Windows in Western Europe', '8274825f31', 'été_1'],
  ['Windows in Western Europe', '92729b5f31', 'Ærø_1'],
  ['Windows in Eastern Europe', '94aee2ae', 'Фото'],
  ['Windows in Japan', '97 5c 92 e8', '予定'],
  ['Windows in Japan', '95 5c', '表'],
  ['Windows in Japan', '82 a0 82 a2', 'あい'],
  ['Windows in Japan', '8e ca 90 5e', '写真'],
  ['Windows in Japan', '90 5f 8e d0', '神社'],
  ['Windows in Japan', '89 5e 93 ae 89 ef', '運動会'],
  ['Windows in Korea', 'bb e7 c1 f8', '사진'],
  ['Windows in China', 'd5 d5 c6 ac', '照片'],
])('other names have the encoding of %s', async (_system, hex, letters) => {
  const bytes = hex.replaceAll(' ', '')
  // A single character of it may also occur in a time or a checksum.
  const stem = `caf ${'~'.repeat(bytes.length / 2)}`
  const archive = await zipWith(`${stem}.txt`)
  for (let offset = archive.indexOf(stem); offset >= 0; offset = archive.indexOf(stem, offset + 1))
    archive.write(bytes, offset + 4, 'hex')
  const zip = await openZip(await writeWithoutUtf8Flag(archive))
  zip.close()
  expect([...zip.sizes.keys()]).toEqual([`caf ${letters}.txt`])
})

test('a file known from the list of an archive is read without it', async () => {
  const archive = await zipWith('one.txt', 'two.txt')
  const filename = join(folder, 'archive.zip')
  await writeFile(filename, archive)
  const zip = await openZip(filename)
  zip.close()
  archive.fill(0, archive.indexOf(CENTRAL_ENTRY), archive.length - 22)
  await writeFile(filename, archive)
  const known = await openKnownZip(filename)
  expect(await text(await known.open(zip.entryInfo.get('two.txt')!))).toBe('two.txt')
  known.close()
})

test('of two files with the same name, the last one is read if allowed', async () => {
  const archive = await zipWith('a.txt', 'b.txt')
  for (let offset = archive.indexOf('b.txt'); offset >= 0; offset = archive.indexOf('b.txt', offset + 5)) {
    // The name in the headers, not the content.
    if (
      archive.toString('latin1', offset - 46, offset - 42) === 'PK\x01\x02' ||
      archive.toString('latin1', offset - 30, offset - 26) === 'PK\x03\x04'
    )
      archive.write('a', offset)
  }
  const filename = join(folder, 'archive.zip')
  await writeFile(filename, archive)
  await expect(openZip(filename)).rejects.toThrow('two files')
  const zip = await openZip(filename, { allowsDuplicateNames: true })
  expect(await text(await zip.open('a.txt'))).toBe('b.txt')
  zip.close()
})

test.each(['\n', '\r\n', 'appended '.repeat(1_000)])(
  'an archive is read when other bytes follow it',
  async (appended) => {
    const filename = join(folder, 'archive.zip')
    await writeFile(filename, Buffer.concat([await zipWith('one.txt', 'two.txt'), Buffer.from(appended)]))
    const zip = await openZip(filename)
    expect(await text(await zip.open('two.txt'))).toBe('two.txt')
    expect(await text(await zip.open('one.txt'))).toBe('one.txt')
    zip.close()
  },
)

test.each([0, 1, 21, 22, 60])('an archive without its last %i bytes is refused', async (missing) => {
  const archive = await zipWith('one.txt')
  const filename = join(folder, 'archive.zip')
  await writeFile(filename, archive.subarray(0, archive.length - missing))
  if (missing === 0) (await openZip(filename)).close()
  else await expect(openZip(filename)).rejects.toThrow(/zip file|truncated/i)
})
