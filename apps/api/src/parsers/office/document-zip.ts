import { stat } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { isSystemError } from '../../platform/storage/whole-file.ts'
import { type OpenedZip, openZip } from '../../platform/storage/zip.ts'
import { DocumentError } from './document-types.ts'

/** The files inside a document that's a ZIP archive, to be read one after the other. */
export interface DocumentZip {
  has(name: string): boolean
  names(): string[]
  /** The bytes of a file in pieces; none for a missing file. */
  pieces(name: string): AsyncIterable<Uint8Array>
  /**
   * Content of an embedded file. It's null for a missing file and when called again for the same one, as well as for one
   * that's damaged or too large; its name is then passed to `unread`.
   */
  embedded(name: string, maxBytes?: number): Promise<Buffer | null>
  close(): void
}

/** Limit of bytes unpacked from one document; texts of this size take seconds. */
const MAX_UNPACKED_BYTES = 256 * 1024 * 1024
const MAX_EMBEDDED_BYTES = 20 * 1024 * 1024
/** Limit of bytes unpacked from files embedded in one document. */
const MAX_TOTAL_EMBEDDED_BYTES = 128 * 1024 * 1024
const MAX_ENTRIES = 20_000
/**
 * Highest compression ratio: prose compresses to a tenth, tables of numbers to less. A file beyond this is made to fill
 * memory.
 */
const MAX_RATIO = 150
/** Smaller files aren't checked for an implausible ratio. */
const MIN_CHECKED_BYTES = 16 * 1024 * 1024

/**
 * Opens a document. A damaged file inside is read up to the damage; its name is passed to `unread`.
 * @throws DocumentError for an unreadable archive, or one that unpacks to far too much.
 */
export async function openDocumentZip(
  filename: string,
  unread: (name: string) => void = () => {},
): Promise<DocumentZip> {
  let zip: OpenedZip
  try {
    zip = await openZip(filename, { maxEntries: MAX_ENTRIES, allowsDuplicateNames: true })
  } catch (error) {
    if (isSystemError(error)) throw error
    throw new DocumentError('damaged_document', error instanceof Error ? error.message : String(error))
  }
  const { size: packedBytes } = await stat(filename)
  let remainingBytes = MAX_UNPACKED_BYTES
  let remainingEmbeddedBytes = MAX_TOTAL_EMBEDDED_BYTES
  const embeddedNames = new Set<string>()
  // part names are case-insensitive (ECMA-376 Part 2, 6.2.2.3), and some programs mix cases
  const namesByLowerCase = new Map([...zip.sizes.keys()].map((name) => [name.toLowerCase(), name]))
  const nameOf = (name: string) => (zip.sizes.has(name) ? name : (namesByLowerCase.get(name.toLowerCase()) ?? name))
  const tooLarge = () => new DocumentError('too_large_document', 'it unpacks to more than can be read')
  return {
    has: (name) => zip.sizes.has(nameOf(name)),
    names: () => [...zip.sizes.keys()],
    async *pieces(target) {
      const name = nameOf(target)
      const size = zip.sizes.get(name)
      if (size === undefined) return
      if (size > remainingBytes || (size > MIN_CHECKED_BYTES && size > MAX_RATIO * packedBytes)) throw tooLarge()
      try {
        for await (const piece of await zip.open(name)) {
          remainingBytes -= (piece as Uint8Array).length
          if (remainingBytes < 0) throw tooLarge()
          yield piece as Uint8Array
        }
      } catch (error) {
        if (error instanceof DocumentError || isSystemError(error)) throw error
        if (/encrypt/i.test(String(error))) throw new DocumentError('encrypted_document', String(error))
        unread(name)
      }
    },
    async embedded(target, maxBytes = MAX_EMBEDDED_BYTES) {
      const name = nameOf(target)
      const size = zip.sizes.get(name)
      if (size === undefined || embeddedNames.has(name)) return null
      embeddedNames.add(name)
      if (size > Math.min(maxBytes, remainingEmbeddedBytes)) {
        unread(name)
        return null
      }
      remainingEmbeddedBytes -= size
      try {
        // the stream fails when the file is longer than the size that the archive states
        return await buffer(await zip.open(name))
      } catch (error) {
        if (isSystemError(error)) throw error
        unread(name)
        return null
      }
    },
    close: () => zip.close(),
  }
}
