import { acceptedExtensionsOf, TAG_MAX_CHARACTERS } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import { Parser } from 'htmlparser2'
import { z } from 'zod'
import { coordinatesOf, takenTimeOfUtc } from '../../../platform/lib/taken-time.ts'
import {
  type ArchiveIndex,
  noFacts,
  type OpenMediaKind,
  type SidecarFacts,
  type SidecarFile,
  splitPath,
} from '../media-archives.ts'

const placeSchema = z.object({ latitude: z.number().min(-90).max(90), longitude: z.number().min(-180).max(180) })
const timeSchema = z.object({ timestamp: z.union([z.string(), z.number()]) })
const sidecarSchema = z.object({
  title: z.string().nullish().catch(null),
  description: z.string().nullish().catch(null),
  photoTakenTime: timeSchema,
  geoData: placeSchema.nullish().catch(null),
  geoDataExif: placeSchema.nullish().catch(null),
  favorited: z.boolean().nullish().catch(null),
  people: z.array(z.object({ name: z.string() }).catch({ name: '' })).catch([]),
  trashed: z.boolean().nullish().catch(null),
})
const albumSchema = z.object({ title: z.string().trim().min(1) })
const olderAlbumSchema = z.object({ albumData: albumSchema })

/** Google's metadata of a picture or video, in a separate file. */
type Sidecar = z.infer<typeof sidecarSchema>

/** Names in and of a sidecar, by which its picture is found. */
interface SidecarName extends NumberedName {
  entry: string
  /** Picture name in the sidecar's name, without Google's suffix. */
  pictureName: string
  /** Name of the picture when it was uploaded, as Google writes it into archives; '' where it's missing. */
  title: string
}

/** A name and its duplicate number: IMG_1.jpg and (2) of IMG_1(2).jpg. */
interface NumberedName {
  baseName: string
  number: string
}

/** Metadata of a folder. */
interface TakeoutFolder {
  album: string | null
  sidecars: Sidecars
}

/** Suffixes between the name of a picture and `.json`, possibly truncated. */
const METADATA_SUFFIXES = ['supplemental-metadata', 'metadata']
/** Length that names are truncated to: with extension and number, none is longer than 51 characters. */
const CUT_CHARACTERS = 46
/** A truncated name has at least this length. */
const MIN_CUT_CHARACTERS = 30
const ENTITY = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,30});/gi
/** Characters that Google doesn't write into names of files. */
const REPLACED = /[\\/:*?"<>|&%'’]/g
/** Suffixes for pictures edited in Google Photos, in languages whose word is known. */
const EDITED = /-(?:edited|bearbeitet|(?:ha )?editad[oa]|modifiée?|modificato|bewerkt|edytowane|editat|編集済み)$/u
/** Anything that may be such a suffix, in any language, truncated or not. */
const MAYBE_EDITED = /-\p{L}[\p{L}\p{M} ]{0,30}$/u

/** Decodes HTML entities. */
function plainText(text: string): string {
  return text.replace(ENTITY, (entity) => {
    let plain = ''
    const parser = new Parser({ ontext: (more) => (plain += more) }, { decodeEntities: true })
    parser.end(entity)
    return plain
  })
}

/** Parses a sidecar; null for other or truncated JSON. */
function sidecarOf(text: string | null): Sidecar | null {
  const read = sidecarSchema.safeParse(jsonOf(text))
  return read.success ? read.data : null
}

/** Album name in a text; null for other JSON. */
function albumOf(text: string | null): string | null {
  const json = jsonOf(text)
  if (sidecarSchema.safeParse(json).success) return null
  const title = olderAlbumSchema.safeParse(json).data?.albumData.title ?? albumSchema.safeParse(json).data?.title
  return title === undefined ? null : plainText(title)
}

function jsonOf(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text)
  } catch {
    // truncated JSON
    return null
  }
}

/** Splits at the last dot. */
function splitName(name: string): [stem: string, extension: string] {
  const index = name.lastIndexOf('.')
  return index <= 0 ? [name, ''] : [name.slice(0, index), name.slice(index)]
}

/** Splits the number off a name, at its end or before one of the extensions. */
function numberedName(name: string): NumberedName {
  const number = /\(\d{1,6}\)(?=$|\.[^.]*$|\.[^.]*\.[a-z-]*$)/.exec(name)
  if (number === null || number.index === 0) return { baseName: name, number: '' }
  return { baseName: name.slice(0, number.index) + name.slice(number.index + number[0].length), number: number[0] }
}

/** Picture name in a sidecar's name, possibly truncated. */
function pictureNameIn(baseName: string): string {
  const index = baseName.lastIndexOf('.')
  const added = baseName.slice(index + 1)
  return index > 0 && added !== '' && METADATA_SUFFIXES.some((whole) => whole.startsWith(added))
    ? baseName.slice(0, index)
    : baseName
}

const comparable = (name: string) => plainText(name).normalize('NFC').replace(REPLACED, '_').toLowerCase()

type Sidecars = ReturnType<typeof createSidecars>

/** Matches pictures with the sidecars of their folder, by names and titles. */
function createSidecars(names: { entry: string; title: string }[], siblings: readonly string[]) {
  const byBase = new Map<string, SidecarName[]>()
  const byTitle = new Map<string, SidecarName[]>()
  const byBeginning = new Map<string, SidecarName[]>()
  const byStem = Map.groupBy(siblings.map(comparable), (name) => splitName(name)[0])
  for (const { entry, title } of names) {
    const { baseName, number } = numberedName(comparable(splitPath(entry).name.replace(/\.json$/i, '')))
    const sidecar = { entry, baseName, number, pictureName: pictureNameIn(baseName), title: comparable(title) }
    add(byBase, `${sidecar.pictureName}${number}`, sidecar)
    if (title !== '') add(byTitle, `${sidecar.title}${number}`, sidecar)
    if (sidecar.title.length > CUT_CHARACTERS) add(byBeginning, beginningOf(sidecar.title, number), sidecar)
  }

  /** The best match among sidecars of the same name: the one with the picture's title, or one without a title. */
  const bestMatch = (candidates: SidecarName[] | undefined, baseName: string): SidecarName | null =>
    candidates?.find(({ title }) => title === baseName) ??
    candidates?.find(({ title }) => title === '') ??
    candidates?.[0] ??
    null

  const findByName = ({ baseName, number }: NumberedName): SidecarName | null => {
    const exactMatch = bestMatch(byBase.get(`${baseName}${number}`), baseName)
    if (exactMatch !== null) return exactMatch
    // Google adds the extension to a picture whose title has none
    const [stem] = splitName(baseName)
    const withoutExtension = byBase.get(`${stem}${number}`)?.find(({ title }) => title === stem)
    if (withoutExtension !== undefined) return withoutExtension
    for (let length = baseName.length - 1; length >= Math.min(baseName.length, MIN_CUT_CHARACTERS); length--) {
      const match = bestMatch(byBase.get(`${baseName.slice(0, length)}${number}`), baseName)
      const isCut = match !== null && match.baseName.length + number.length >= CUT_CHARACTERS - 1
      if (match !== null && isCut && mayBelong(match, baseName)) return match
    }
    return null
  }

  /** Sidecar with the picture's name as its title, if it's the only one. The name may be truncated in the archive. */
  const findByTitle = ({ baseName, number }: NumberedName): SidecarName | null => {
    const [only, ...others] = byTitle.get(`${baseName}${number}`) ?? []
    if (only !== undefined && others.length === 0) return only
    if (baseName.length < CUT_CHARACTERS - number.length) return null
    const [onlyMatch, ...otherMatches] = (byBeginning.get(beginningOf(baseName, number)) ?? []).filter((sidecar) =>
      mayBelong(sidecar, baseName),
    )
    return onlyMatch !== undefined && otherMatches.length === 0 ? onlyMatch : null
  }

  const findSidecar = (name: string): SidecarName | null => {
    const numbered = numberedName(name)
    return findByName(numbered) ?? findByTitle(numbered)
  }

  /** Sidecar of the original of an edited picture. The original is in the same folder, possibly in another format. */
  const editedFrom = (name: string): SidecarName | null => {
    const { baseName, number } = numberedName(name)
    const [stem, extension] = splitName(baseName)
    const original = stem.replace(EDITED, '')
    if (original !== stem) {
      const match = findSidecar(`${original}${number}${extension}`)
      if (match !== null) return match
    }
    return firstSidecarOf(byStem.get(`${stem.replace(MAYBE_EDITED, '')}${number}`), name)
  }

  const firstSidecarOf = (names: string[] = [], except: string): SidecarName | null => {
    for (const name of names) {
      const match = name === except ? null : findSidecar(name)
      if (match !== null) return match
    }
    return null
  }

  /** True for a live photo's video whose sidecar is about the picture. */
  const isOfPicture = ({ title }: SidecarName, name: string): boolean => {
    if (!VIDEO.test(name)) return false
    if (PICTURE.test(title)) return true
    const isUntyped = title === splitName(numberedName(name).baseName)[0]
    return isUntyped && (byStem.get(splitName(name)[0]) ?? []).some((sibling) => PICTURE.test(sibling))
  }

  return {
    /**
     * Sidecar of a picture or video; null when there is none. `isOfPicture` is true when a live photo's video shares the sidecar
     * of its picture.
     */
    find(name: string): { entry: string | null; isOfPicture: boolean } {
      const comparableName = comparable(name)
      const match = findSidecar(comparableName) ?? editedFrom(comparableName)
      if (match !== null) return { entry: match.entry, isOfPicture: isOfPicture(match, comparableName) }
      // a video may belong to the live photo of the same name
      const livePhoto = firstSidecarOf(byStem.get(splitName(comparableName)[0]), comparableName)
      return { entry: livePhoto?.entry ?? null, isOfPicture: livePhoto !== null }
    },
  }
}

function add(map: Map<string, SidecarName[]>, key: string, sidecar: SidecarName): void {
  const sameNamed = map.get(key)
  if (sameNamed === undefined) map.set(key, [sidecar])
  else sameNamed.push(sidecar)
}

const beginningOf = (name: string, number: string) => `${name.slice(0, MIN_CUT_CHARACTERS)}${number}`

const PICTURE = /\.(?:jpe?g|heic|heif|png|webp|dng)$/
const VIDEO = /\.(?:mov|mp4|m4v)$/
const extensions = new Set(acceptedExtensionsOf('image', 'video'))
/** Extensions that Google adds to titles without one. */
const ADDED_EXTENSIONS = ['jpg', 'jpeg', 'png', 'gif', 'webp', 'heic', 'mp4', 'mov']

/** True if a sidecar may belong to a picture whose name was truncated. */
function mayBelong({ title }: SidecarName, baseName: string): boolean {
  if (title === '') return true
  const [stem, extension] = splitName(baseName)
  return title === baseName || (title.startsWith(stem) && title.endsWith(extension))
}

/** Names of folders by year or day. These aren't albums, although older archives call them so. */
const DATE_FOLDER = /^(?:(?:photos|fotos|foto)\b.*\b(?:19|20)\d{2}|\d{4}-\d{2}-\d{2}(?:[ -].*)?)$/i
const TITLE_CHARACTERS = 300
const MAX_PEOPLE = 100

/** Google Photos in Google Takeout: each picture has a JSON sidecar with Google's metadata. */
export const openTakeout: OpenMediaKind = async (index) => {
  const inFolder = Map.groupBy(index.names, (name) => splitPath(name).folder)
  const folders = new Map<string, Promise<TakeoutFolder>>()
  const usedSidecars = new Set<string>()

  const folderOf = (folder: string): Promise<TakeoutFolder> => {
    const takeoutFolder = folders.get(folder) ?? readFolder(index, folder, inFolder.get(folder) ?? [])
    folders.set(folder, takeoutFolder)
    return takeoutFolder
  }

  return {
    isPhotosOnly: true,
    async factsOf(entry) {
      const { folder, name } = splitPath(entry)
      const { album, sidecars } = await folderOf(folder)
      const { entry: sidecar, isOfPicture } = sidecars.find(name)
      if (sidecar !== null) usedSidecars.add(sidecar)
      const metadata = sidecar === null ? null : sidecarOf(await index.textOf(sidecar))
      if (metadata?.trashed) return null
      const facts = factsOfSidecar(metadata)
      // A live photo's video with a caption of its own would stay separate from the picture.
      const tags = tagsOf(metadata, album)
      return { ...facts, description: isOfPicture ? null : facts.description, tags }
    },
    async *unmatchedSidecars() {
      for (const entry of index.names.filter((name) => isJson(name) && !usedSidecars.has(name))) {
        const metadata = sidecarOf(await index.textOf(entry))
        if (metadata?.title && !metadata.trashed)
          yield sidecarFileOf(entry, metadata, (await folderOf(splitPath(entry).folder)).album)
      }
    },
  }
}

const isJson = (name: string) => /\.json$/i.test(name)

/** Reads a folder's JSON files. Sidecars and albums are distinguished by content, since the names are translated. */
async function readFolder(index: ArchiveIndex, folder: string, names: readonly string[]): Promise<TakeoutFolder> {
  const sidecars: { entry: string; title: string }[] = []
  let album: string | null = null
  for (const entry of names.filter(isJson)) {
    const text = await index.textOf(entry)
    const metadata = sidecarOf(text)
    if (metadata !== null) sidecars.push({ entry, title: cutText(metadata.title ?? '', TITLE_CHARACTERS) })
    else album ??= albumOf(text)
  }
  const isDateFolder = DATE_FOLDER.test(splitPath(folder).name) || (album !== null && DATE_FOLDER.test(album))
  const siblings = names.filter((name) => !isJson(name)).map((name) => splitPath(name).name)
  return { album: isDateFolder ? null : album, sidecars: createSidecars(sidecars, siblings) }
}

/** The album, and the people that Google Photos recognised. */
function tagsOf(metadata: Sidecar | null, album: string | null): string[] {
  const people = metadata?.people.slice(0, MAX_PEOPLE) ?? []
  const names = people.map(({ name }) => cutText(plainText(cutText(name, TITLE_CHARACTERS)).trim(), TAG_MAX_CHARACTERS))
  return [...new Set([album ?? '', ...names])].filter((tag) => tag !== '')
}

function factsOfSidecar(metadata: Sidecar | null): Omit<SidecarFacts, 'tags'> {
  if (metadata === null) return noFacts
  const seconds = Number(metadata.photoTakenTime.timestamp)
  const isValidTime = Number.isFinite(seconds) && Math.abs(seconds) < 1e10
  const places = [metadata.geoData, metadata.geoDataExif].map((one) => coordinatesOf(one?.latitude, one?.longitude))
  const place = places.find((place) => place !== null) ?? null
  const takenTime = isValidTime ? takenTimeOfUtc(new Date(seconds * 1000).toISOString(), place) : null
  return {
    takenAt: takenTime?.at.toISOString() ?? null,
    takenLocal: takenTime?.local ?? null,
    latitude: place?.latitude ?? null,
    longitude: place?.longitude ?? null,
    description: plainText(metadata.description ?? '').trim() || null,
    isFavorite: metadata.favorited ?? false,
  }
}

/** Metadata of a picture that isn't in this archive. The picture has the name in the sidecar's name, or the title in it. */
function sidecarFileOf(entry: string, metadata: Sidecar, album: string | null): SidecarFile {
  const { folder, name } = splitPath(entry)
  const { baseName, number } = numberedName(name.slice(0, -'.json'.length))
  const titles = [pictureNameIn(baseName), metadata.title ?? '', plainText(metadata.title ?? '')]
  const isUntyped = !extensions.has(
    splitName(metadata.title ?? '')[1]
      .slice(1)
      .toLowerCase(),
  )
  const names = titles.flatMap((title) => {
    const [stem, extension] = splitName(title)
    const added = isUntyped ? ADDED_EXTENSIONS.map((suffix) => `${title}${number}.${suffix}`) : []
    return [`${stem}${number}${extension}`, ...added]
  })
  return { ...factsOfSidecar(metadata), tags: tagsOf(metadata, album), folder, names: [...new Set(names)] }
}
