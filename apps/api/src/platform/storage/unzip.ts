import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import yauzl from 'yauzl'

/** A ZIP archive that is read in any order. */
export interface OpenedZip {
  /** Size of each file, by its name. */
  sizes: ReadonlyMap<string, number>
  /** Packed size and checksum (CRC-32) of each file, from the archive. */
  facts: ReadonlyMap<string, { packedBytes: number; checksum: number }>
  /** The stream fails when the content is not as long as the archive says. */
  open(name: string): Promise<Readable>
  close(): void
}

const openFile = promisify<string, yauzl.Options, yauzl.ZipFile>(yauzl.open)

export interface UnzipOptions {
  /** An archive with more files is refused; any number when left out. */
  maxEntries?: number
}

/** Opens an archive. @throws Error when it is none, is cut off, or names a file twice or outside of itself. */
export async function openZip(filename: string, { maxEntries }: UnzipOptions = {}): Promise<OpenedZip> {
  // programs of Windows part folders by \ against the format; names that lead out of the archive are refused all the same
  const zip = await openFile(filename, { lazyEntries: true, autoClose: false, strictFileNames: false })
  const entries = new Map<string, yauzl.Entry>()
  try {
    if (maxEntries !== undefined && zip.entryCount > maxEntries) throw new Error('it holds too many files')
    await new Promise<void>((resolve, reject) => {
      zip.on('error', reject).on('end', resolve)
      zip.on('entry', (entry: yauzl.Entry) => {
        if (entries.has(entry.fileName)) return reject(new Error(`it holds two files of the name ${entry.fileName}`))
        entries.set(entry.fileName, entry)
        zip.readEntry()
      })
      zip.readEntry()
    })
  } catch (error) {
    zip.close()
    throw error
  }
  const openEntry = promisify<yauzl.Entry, Readable>(zip.openReadStream.bind(zip) as never)
  return {
    sizes: new Map([...entries].map(([name, { uncompressedSize }]) => [name, uncompressedSize])),
    facts: new Map(
      [...entries].map(([name, { compressedSize, crc32 }]) => [name, { packedBytes: compressedSize, checksum: crc32 }]),
    ),
    async open(name) {
      const entry = entries.get(name)
      if (entry === undefined) throw new Error(`it holds no file ${name}`)
      return openEntry(entry)
    },
    close: () => zip.close(),
  }
}
