import { parse } from 'csv-parse/sync'
import { type ArchiveIndex, nothingTold, type OpenMediaKind, partsOf } from '../media-archive-kind.ts'

/** What the table of a folder says of a picture. */
interface Detail {
  takenAt: string | null
  isFavorite: boolean
  isDeleted: boolean
}

const DETAILS = /^Photo Details.*\.csv$/i
const ALBUM = /(?:^|\/)Albums\/([^/]+)\.csv$/i

/** What Apple exports of iCloud Photos: a table beside the pictures tells of each of them, and one names those of an album. */
export const openApple: OpenMediaKind = async (index) => {
  const details = await detailsOf(index)
  const albums = await albumsOf(index)
  return {
    isPhotosOnly: true,
    async factsOf(entry) {
      const { folder, name } = partsOf(entry)
      const detail = details.get(`${folder}/${name}`.toLowerCase())
      if (detail?.isDeleted) return null
      const { takenAt = null, isFavorite = false } = detail ?? {}
      return { ...nothingTold, takenAt, isFavorite, tags: albums.get(name.toLowerCase()) ?? [] }
    },
  }
}

async function detailsOf(index: ArchiveIndex): Promise<Map<string, Detail>> {
  const details = new Map<string, Detail>()
  for (const table of index.names.filter((name) => DETAILS.test(partsOf(name).name))) {
    const { folder } = partsOf(table)
    for (const { imgName = '', originalCreationDate = '', favorite, deleted } of await rowsOf(index, table)) {
      const taken = momentOf(originalCreationDate)
      details.set(`${folder}/${imgName}`.toLowerCase(), {
        takenAt: taken,
        isFavorite: favorite === 'yes',
        isDeleted: deleted === 'yes',
      })
    }
  }
  return details
}

/** Names of albums, by the name of a picture. */
async function albumsOf(index: ArchiveIndex): Promise<Map<string, string[]>> {
  const albums = new Map<string, string[]>()
  for (const table of index.names) {
    const album = ALBUM.exec(table)?.[1]
    if (album === undefined) continue
    for (const row of await rowsOf(index, table)) {
      const name = Object.values(row)[0]?.toLowerCase()
      if (name) albums.set(name, [...(albums.get(name) ?? []), album])
    }
  }
  return albums
}

async function rowsOf(index: ArchiveIndex, name: string): Promise<Record<string, string>[]> {
  const text = await index.textOf(name)
  if (text === null) return []
  try {
    return parse(text, { bom: true, columns: true, relaxColumnCount: true, relaxQuotes: true, skipEmptyLines: true })
  } catch {
    // a table that is cut off tells nothing; the pictures are there
    return []
  }
}

/** `Friday May 5,2017 2:00 PM GMT` */
function momentOf(text: string): string | null {
  const at = Date.parse(text.replace(/^\p{L}+ /u, '').replace(/,(?=\d)/, ', '))
  return Number.isNaN(at) ? null : new Date(at).toISOString()
}
