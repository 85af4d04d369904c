import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openZip, type ZipEntry, zipOf } from './zip.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mira-zip-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** Signature of a file's entry in the list at the end of an archive, and position of its flags. */
const LISTED = Buffer.from('PK\x01\x02', 'latin1')
const FLAGS_AT = 8

/** An archive that doesn't say how its names are encoded, as the Finder of macOS writes them. */
async function withoutEncoding(archive: Buffer): Promise<string> {
  for (let at = archive.indexOf(LISTED); at >= 0; at = archive.indexOf(LISTED, at + 1)) {
    archive.writeUInt16LE(archive.readUInt16LE(at + FLAGS_AT) & ~0x800, at + FLAGS_AT)
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

test('names in UTF-8 are read as such, also where the archive does not say so', async () => {
  const names = ['Grüße/Café.jpg', '写真.heic', 'plain.txt']
  const zip = await openZip(await withoutEncoding(await zipWith(...names)))
  try {
    expect([...zip.sizes.keys()]).toEqual(names)
    for (const name of names) expect(await text(await zip.open(name))).toBe(name)
  } finally {
    zip.close()
  }
})

test.each([
  ['of DOS', '82', 'é'],
  ['of Windows in Western Europe', 'd6', 'Í'],
  ['of Windows in Eastern Europe', '94aee2ae', 'Фото'],
])('other names are those %s', async (_system, bytes, letters) => {
  // not one of its letters alone, which may also stand in a time or a sum
  const stem = `caf ${'~'.repeat(bytes.length / 2)}`
  const archive = await zipWith(`${stem}.txt`)
  for (let at = archive.indexOf(stem); at >= 0; at = archive.indexOf(stem, at + 1)) archive.write(bytes, at + 4, 'hex')
  const zip = await openZip(await withoutEncoding(archive))
  zip.close()
  expect([...zip.sizes.keys()]).toEqual([`caf ${letters}.txt`])
})

test('of two files of one name the last is read where that is wanted', async () => {
  const archive = await zipWith('a.txt', 'b.txt')
  for (let at = archive.indexOf('b.txt'); at >= 0; at = archive.indexOf('b.txt', at + 5)) {
    // the name in the lists, not the content
    if (
      archive.toString('latin1', at - 46, at - 42) === 'PK\x01\x02' ||
      archive.toString('latin1', at - 30, at - 26) === 'PK\x03\x04'
    )
      archive.write('a', at)
  }
  const filename = join(folder, 'archive.zip')
  await writeFile(filename, archive)
  await expect(openZip(filename)).rejects.toThrow('two files')
  const zip = await openZip(filename, { mayRepeat: true })
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
