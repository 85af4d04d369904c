import { Readable } from 'node:stream'
import { ZipFile } from 'yazl'

/** One file of an archive. */
export interface ZipEntry {
  /** With folders, separated by slashes. */
  name: string
  modifiedAt: Date
  /** Read once, when its turn comes. */
  content: AsyncIterable<Uint8Array | string>
  /** False for pictures and films, which hardly compress. */
  isCompressible: boolean
}

/**
 * An archive that is written while it is read, of any size (ZIP64): one entry after the other, each asked for when the
 * one before has been written. It fails with whatever the entries throw; when nobody reads any more, they are let go.
 */
export function zipOf(entries: AsyncIterable<ZipEntry>): Readable {
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  zip.on('error', (error: Error) => output.destroy(error))

  const add = ({ name, modifiedAt, content, isCompressible }: ZipEntry) =>
    new Promise<void>((resolve, reject) => {
      const stream = Readable.from(content, { objectMode: false })
      const leave = () => {
        stream.destroy()
        reject(new Error('nobody reads the archive any more'))
      }
      output.once('close', leave)
      stream.once('error', reject)
      stream.once('end', () => {
        output.off('close', leave)
        resolve()
      })
      zip.addReadStreamLazy(name, { mtime: modifiedAt, mode: 0o100600, compress: isCompressible }, (begin) =>
        begin(null, stream),
      )
    })

  const write = async () => {
    for await (const entry of entries) {
      // whoever left while it was looked for is not heard of again
      if (output.destroyed) throw new Error('nobody reads the archive any more')
      await add(entry)
    }
    zip.end()
  }
  // beginning later, so that whoever called can listen first
  setImmediate(() => write().catch((error: Error) => output.destroy(error)))
  return output
}
