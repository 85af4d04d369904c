import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import yauzl from 'yauzl'

/** Reads the files of an archive, by name. */
export async function unzip(archive: Buffer): Promise<Map<string, Buffer>> {
  const zip = await promisify<Buffer, yauzl.Options, yauzl.ZipFile>(yauzl.fromBuffer)(archive, { lazyEntries: true })
  const files = new Map<string, Buffer>()
  const openEntry = promisify<yauzl.Entry, Readable>(zip.openReadStream.bind(zip) as never)
  await new Promise<void>((resolve, reject) => {
    zip.on('end', resolve).on('error', reject)
    zip.on('entry', (entry: yauzl.Entry) => {
      openEntry(entry)
        .then(buffer)
        .then((content) => files.set(entry.fileName, content))
        .then(() => zip.readEntry(), reject)
    })
    zip.readEntry()
  })
  return files
}
