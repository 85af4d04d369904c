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

test('other names are those of DOS', async () => {
  const archive = await zipWith('caf~.txt')
  for (let at = archive.indexOf('~'); at >= 0; at = archive.indexOf('~', at + 1)) archive[at] = 0x82
  const zip = await openZip(await withoutEncoding(archive))
  zip.close()
  expect([...zip.sizes.keys()]).toEqual(['café.txt'])
})
