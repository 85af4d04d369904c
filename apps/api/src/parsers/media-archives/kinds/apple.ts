import { parse } from 'csv-parse/sync'
import { coordinatesOf, takenTimeOf, takenTimeOfUtc } from '../../../platform/lib/taken-time.ts'
import { xmpPlaceNames, xmpPlaceOf, xmpValues } from '../../image/xmp-values.ts'
import { type ArchiveIndex, noFacts, type OpenMediaKind, type SidecarFacts, splitPath } from '../media-archives.ts'

/** XMP properties to read, with the usual prefixes. */
const TITLE = 'dc:title'
const DESCRIPTION = 'dc:description'
const KEYWORDS = 'dc:subject'
const TIME_PROPERTIES = ['photoshop:DateCreated', 'exif:DateTimeOriginal', 'xmp:CreateDate']
const xmpNames = new Set([TITLE, DESCRIPTION, KEYWORDS, ...TIME_PROPERTIES, ...xmpPlaceNames])

/**
 * Reads an XMP sidecar of a photo manager (Photos, Lightroom, digiKam): date, place, title, description and keywords.
 */
function factsOfXmp(text: string): Omit<SidecarFacts, 'isFavorite'> {
  const values = xmpValues(text, xmpNames)
  const first = (name: string) => values.get(name)?.[0] ?? ''
  const place = xmpPlaceOf(values)
  const takenTime = TIME_PROPERTIES.map((name) => takenTimeOf(first(name), '', place)).find((time) => time !== null)
  const texts = [first(TITLE), first(DESCRIPTION)].filter((words) => words !== '')
  return {
    takenAt: takenTime?.at.toISOString() ?? null,
    takenLocal: takenTime?.local ?? null,
    latitude: place?.latitude ?? null,
    longitude: place?.longitude ?? null,
    description: [...new Set(texts)].join('\n') || null,
    tags: [...new Set(values.get(KEYWORDS) ?? [])],
  }
}

/** Row about a picture in its folder's table. */
interface PhotoDetails {
  takenAt: string | null
  isFavorite: boolean
  isDeleted: boolean
}

const DETAILS = /^Photo Details.*\.csv$/i
const ALBUM = /(?:^|\/)Albums\/([^/]+)\.csv$/i
/** Lists in the albums folder that aren't albums. */
const FAVORITES = 'favorites'
const HIDDEN = 'hidden'
const DELETED = /(?:^|\/)Recently Deleted\//i
/** The two files of a live photo. */
const STILL = /\.(?:heic|heif|jpe?g)$/i
const VIDEO = /\.(?:mov|mp4)$/i

/**
 * Exports from Apple: of iCloud Photos, with tables of the pictures' details and of the albums; and of the Photos app,
 * with originals and optional XMP sidecars.
 */
export const openApple: OpenMediaKind = async (index) => {
  const detailOf = await detailsOf(index)
  const albums = await albumsOf(index)
  const sidecars = new Map(index.names.filter((name) => /\.xmp$/i.test(name)).map((name) => [comparable(name), name]))
  const stills = new Set(index.names.filter((name) => STILL.test(name)).map((name) => stemOf(comparable(name))))

  const sidecarOf = async (entry: string): Promise<Omit<SidecarFacts, 'isFavorite'>> => {
    const path = comparable(entry)
    // metadata of a live photo goes to its picture: a video with its own caption would stay separate
    const isMotion = VIDEO.test(path) && stills.has(stemOf(path))
    const sidecar = sidecars.get(`${path}.xmp`) ?? (isMotion ? undefined : sidecars.get(`${stemOf(path)}.xmp`))
    const text = sidecar === undefined ? null : await index.textOf(sidecar)
    return text === null ? noFacts : factsOfXmp(text)
  }

  return {
    isPhotosOnly: true,
    async factsOf(entry) {
      const detail = detailOf(entry)
      if (detail?.isDeleted || DELETED.test(entry)) return null
      const facts = await sidecarOf(entry)
      const inAlbums = albums.get(comparable(splitPath(entry).name)) ?? []
      const isFavorite = detail?.isFavorite ?? inAlbums.some((album) => album.toLowerCase() === FAVORITES)
      const tags = inAlbums.filter((album) => ![FAVORITES, HIDDEN].includes(album.toLowerCase()))
      const place = coordinatesOf(facts.latitude, facts.longitude)
      const takenTime = takenTimeOfUtc(detail?.takenAt ?? '', place)
      const time = takenTime && { takenAt: takenTime.at.toISOString(), takenLocal: takenTime.local }
      return { ...facts, ...time, isFavorite, tags: [...tags, ...facts.tags] }
    },
  }
}

/**
 * Finds the details of an entry: in the table of its folder or, if the folder has none, in the only table that lists its name.
 * The video of a live photo gets its picture's details.
 */
async function detailsOf(index: ArchiveIndex): Promise<(entry: string) => PhotoDetails | undefined> {
  const byPath = new Map<string, PhotoDetails>()
  const byStem = new Map<string, PhotoDetails>()
  const byName = new Map<string, PhotoDetails | null>()
  const folders = new Set<string>()
  for (const table of index.names.filter((name) => DETAILS.test(splitPath(name).name))) {
    const { folder } = splitPath(table)
    folders.add(comparable(folder))
    for (const { imgName = '', originalCreationDate = '', favorite, deleted } of await rowsOf(index, table)) {
      const detail = {
        takenAt: isoTimeOf(originalCreationDate),
        isFavorite: favorite === 'yes',
        isDeleted: deleted === 'yes',
      }
      const path = comparable(`${folder}/${imgName}`)
      byPath.set(path, detail)
      byStem.set(stemOf(path), detail)
      const name = comparable(imgName)
      byName.set(name, byName.has(name) ? null : detail)
    }
  }
  return (entry) => {
    const path = comparable(entry)
    const { folder, name } = splitPath(path)
    if (!folders.has(folder)) return byName.get(name) ?? undefined
    return byPath.get(path) ?? (VIDEO.test(path) ? byStem.get(stemOf(path)) : undefined)
  }
}

/** Names of albums, by the name of a picture. */
async function albumsOf(index: ArchiveIndex): Promise<Map<string, string[]>> {
  const albums = new Map<string, string[]>()
  for (const table of index.names) {
    const album = ALBUM.exec(table)?.[1]?.normalize('NFC')
    if (album === undefined) continue
    for (const row of await rowsOf(index, table)) {
      const name = comparable(Object.values(row)[0] ?? '')
      if (name !== '') albums.set(name, [...(albums.get(name) ?? []), album])
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
    // a truncated table is ignored, while its pictures are imported
    return []
  }
}

/** Converts a time such as `Friday May 5,2017 2:00 PM GMT` to ISO 8601; null when invalid. */
function isoTimeOf(text: string): string | null {
  const ms = Date.parse(text.replace(/^\p{L}+ /u, '').replace(/,(?=\d)/, ', '))
  return Number.isNaN(ms) ? null : new Date(ms).toISOString()
}

/** Macs write names into archives with separate accents (NFD), but not into tables. */
const comparable = (name: string) => name.normalize('NFC').toLowerCase()

const stemOf = (path: string) => path.replace(/\.[^./]*$/, '')
