import { Readable } from 'node:stream'
import type { Language, MediaArchive } from '@mira/shared'
import type { Common } from '../../../common.ts'
import { NotFoundError } from '../../../errors.ts'
import { safeFileName } from '../../../platform/lib/title-file-name.ts'
import { textsIn } from '../../../platform/messages/texts.ts'
import { type ZipEntry, zipOf } from '../../../platform/storage/zip.ts'
import type { MediaStore } from './media.store.ts'

/** Lifetime of a download URL. */
const TICKET_SECONDS = 5 * 60
const ID_BYTES = 16

interface ArchivesDeps extends Pick<Common, 'files' | 'log' | 'signedPaths'> {
  store: MediaStore
}

type Original = Awaited<ReturnType<MediaStore['originals']>>[number]

export type ArchivesService = ReturnType<typeof createArchivesService>

/** Originals of several items as one archive, streamed while it's written. */
export function createArchivesService({ store, files, signedPaths, log }: ArchivesDeps) {
  return {
    /** Creates a download URL. @throws NotFoundError when none of the items is the user's, or all files are missing. */
    async ticket(userId: string, ids: string[]): Promise<MediaArchive> {
      const originals = await findOriginals(userId, [...new Set(ids)])
      const packedIds = packIds([...new Set(originals.map(({ id }) => id))])
      return {
        url: signedPaths.signForDownload(userId, `/api/media/archive?items=${packedIds}`, TICKET_SECONDS),
        items: new Set(originals.map(({ id }) => id)).size,
        size_bytes: originals.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
        expires_at: new Date(Date.now() + TICKET_SECONDS * 1000),
      }
    },

    /**
     * ZIP archive of the items' files, without items that were deleted meanwhile; a text file in the given language lists
     * missing files.
     * @throws NotFoundError when all items were deleted, or all files are missing.
     */
    async open(userId: string, packedIds: string, language: Language): Promise<Readable> {
      const originals = await findOriginals(userId, unpackIds(packedIds))
      const archive = zipOf(entriesOf(originals, language))
      archive.once('error', (error) => log.warn({ err: error, user_id: userId }, 'an archive was not finished'))
      return archive
    },
  }

  async function findOriginals(userId: string, ids: string[]): Promise<Original[]> {
    const originals = await store.originals(userId, ids)
    if (originals.length === 0) throw new NotFoundError('These items no longer exist.')
    for (const { path } of originals) {
      const file = await openFile(path)
      file?.stream.destroy()
      if (file !== null) return originals
    }
    throw new NotFoundError('The files of these items are missing on the server.', { code: 'files_missing' })
  }

  /** Opens a file; null when it's missing. */
  function openFile(path: string) {
    return files.open(path).catch((error: unknown) => {
      if (error instanceof NotFoundError) return null
      throw error
    })
  }

  async function* entriesOf(originals: Original[], language: Language): AsyncGenerator<ZipEntry> {
    const usedNames = new Set<string>()
    const missingNames: string[] = []
    for (const { path, name, moment, mediaType } of originals) {
      const file = await openFile(path)
      if (file === null) {
        missingNames.push(name)
        continue
      }
      try {
        yield {
          name: uniqueName(name, usedNames),
          modifiedAt: moment,
          content: file.stream,
          isCompressible: mediaType === 'document',
        }
      } finally {
        // The stream isn't read to its end when the client has disconnected.
        file.stream.destroy()
      }
    }
    if (missingNames.length === 0) return
    const text = textsIn('files', language)
    log.warn({ count: missingNames.length }, 'files are missing from an archive')
    yield {
      name: uniqueName(text('missing.file'), usedNames),
      modifiedAt: new Date(),
      content: Readable.from([
        [text('missing.text', { count: missingNames.length }), '', ...missingNames, ''].join('\n'),
      ]),
      isCompressible: true,
    }
  }
}

/** Ids for a URL: 16 bytes each, as base64url. */
function packIds(ids: string[]): string {
  return Buffer.concat(ids.map((id) => Buffer.from(id.replaceAll('-', ''), 'hex'))).toString('base64url')
}

function unpackIds(packedIds: string): string[] {
  const bytes = Buffer.from(packedIds, 'base64url')
  return Array.from({ length: Math.floor(bytes.length / ID_BYTES) }, (_, index) =>
    bytes
      .subarray(index * ID_BYTES, (index + 1) * ID_BYTES)
      .toString('hex')
      .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
  )
}

/** Name that is unique in the archive: `party.jpg`, `party (2).jpg`. */
function uniqueName(wantedName: string, usedNames: Set<string>): string {
  const plain = safeFileName(wantedName)
  const [ending = ''] = /\.[a-z0-9]{1,8}$/i.exec(plain) ?? []
  const stem = plain.slice(0, plain.length - ending.length)
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? plain : `${stem} (${number})${ending}`
    // Some file systems ignore case.
    if (usedNames.has(name.toLowerCase())) continue
    usedNames.add(name.toLowerCase())
    return name
  }
}
