import type { Readable } from 'node:stream'
import type { MediaArchive } from '@mira/shared'
import type { Common } from '../../../common.ts'
import { NotFoundError } from '../../../errors.ts'
import { plainName } from '../../../platform/lib/title-file-name.ts'
import { type ZipEntry, zipOf } from '../../../platform/storage/zip.ts'
import type { MediaStore } from './media.store.ts'

/** Lifetime of a download address. */
const TICKET_SECONDS = 5 * 60
const ID_BYTES = 16

interface ArchivesDeps extends Pick<Common, 'files' | 'log' | 'signedPaths'> {
  store: MediaStore
}

export type ArchivesService = ReturnType<typeof createArchivesService>

/** Originals of several items as one archive, written while it is read. */
export function createArchivesService({ store, files, signedPaths, log }: ArchivesDeps) {
  return {
    /** Creates a download address. @throws NotFoundError when none of the items is the user's. */
    async ticket(userId: string, ids: string[]): Promise<MediaArchive> {
      const originals = await store.originals(userId, [...new Set(ids)])
      if (originals.length === 0) throw new NotFoundError('These items are not there any more.')
      const packed = packIds([...new Set(originals.map(({ id }) => id))])
      return {
        url: signedPaths.ticket(userId, `/api/media/archive?items=${packed}`, TICKET_SECONDS),
        items: new Set(originals.map(({ id }) => id)).size,
        size_bytes: originals.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
        expires_at: new Date(Date.now() + TICKET_SECONDS * 1000),
      }
    },

    /** Files under their names, without deleted items. @throws NotFoundError when all were deleted. */
    async open(userId: string, packed: string): Promise<Readable> {
      const originals = await store.originals(userId, unpackIds(packed))
      if (originals.length === 0) throw new NotFoundError('These items are not there any more.')
      const archive = zipOf(entriesOf(originals))
      archive.once('error', (error) => log.warn({ err: error, user_id: userId }, 'an archive was not finished'))
      return archive
    },
  }

  async function* entriesOf(originals: Awaited<ReturnType<MediaStore['originals']>>): AsyncGenerator<ZipEntry> {
    const usedNames = new Set<string>()
    for (const { path, name, moment, mediaType } of originals) {
      const file = await files.open(path).catch((error: unknown) => {
        if (error instanceof NotFoundError) return null
        throw error
      })
      if (file === null) continue
      try {
        yield {
          name: freeName(name, usedNames),
          modifiedAt: moment,
          content: file.stream,
          isCompressible: mediaType === 'document',
        }
      } finally {
        // unread when the client has disconnected
        file.stream.destroy()
      }
    }
  }
}

/** Ids as an address carries them: 16 bytes each. */
function packIds(ids: string[]): string {
  return Buffer.concat(ids.map((id) => Buffer.from(id.replaceAll('-', ''), 'hex'))).toString('base64url')
}

function unpackIds(packed: string): string[] {
  const bytes = Buffer.from(packed, 'base64url')
  return Array.from({ length: Math.floor(bytes.length / ID_BYTES) }, (_, index) =>
    bytes
      .subarray(index * ID_BYTES, (index + 1) * ID_BYTES)
      .toString('hex')
      .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
  )
}

/** Name that is unique in the archive: `party.jpg`, `party (2).jpg`. */
function freeName(wantedName: string, usedNames: Set<string>): string {
  const plain = plainName(wantedName)
  const [ending = ''] = /\.[a-z0-9]{1,8}$/i.exec(plain) ?? []
  const stem = plain.slice(0, plain.length - ending.length)
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? plain : `${stem} (${number})${ending}`
    // some file systems ignore case
    if (usedNames.has(name.toLowerCase())) continue
    usedNames.add(name.toLowerCase())
    return name
  }
}
