import { coordinatesOf, takenTimeOfUtc } from '../../../platform/lib/taken-time.ts'
import { type ArchiveIndex, noFacts, type OpenMediaKind, partsOf } from '../media-archive-kind.ts'
import type { SidecarFacts, SidecarFile } from '../media-archives.ts'
import {
  albumOf,
  createSidecars,
  numberedName,
  pictureNameIn,
  plainText,
  type Sidecar,
  sidecarOf,
  splitName,
  type TakeoutFolder,
} from './takeout-sidecars.ts'

/** Google's folders by year or day, which older archives call albums. */
const OWN_FOLDER = /^(?:(?:photos|fotos|foto)\b.*\b(?:19|20)\d{2}|\d{4}-\d{2}-\d{2}(?:[ -].*)?)$/i
const TITLE_CHARACTERS = 300

/** Google Photos in Google Takeout: each picture has a JSON sidecar with Google's metadata. */
export const openTakeout: OpenMediaKind = async (index) => {
  const inFolder = Map.groupBy(index.names, (name) => partsOf(name).folder)
  const folders = new Map<string, Promise<TakeoutFolder>>()
  const used = new Set<string>()

  const folderOf = (folder: string): Promise<TakeoutFolder> => {
    const takeoutFolder = folders.get(folder) ?? readFolder(index, folder, inFolder.get(folder) ?? [])
    folders.set(folder, takeoutFolder)
    return takeoutFolder
  }

  return {
    isPhotosOnly: true,
    async factsOf(entry) {
      const { folder, name } = partsOf(entry)
      const { album, sidecars } = await folderOf(folder)
      const { entry: sidecar, isOfPicture } = sidecars.of(name)
      if (sidecar !== null) used.add(sidecar)
      const metadata = sidecar === null ? null : sidecarOf(await index.textOf(sidecar))
      if (metadata?.trashed) return null
      const facts = factsOfSidecar(metadata)
      // a film with its own caption would stay separate from its picture
      return { ...facts, description: isOfPicture ? null : facts.description, tags: album ? [album] : [] }
    },
    async *rest() {
      for (const entry of index.names.filter((name) => isJson(name) && !used.has(name))) {
        const metadata = sidecarOf(await index.textOf(entry))
        if (metadata?.title && !metadata.trashed)
          yield sidecarFileOf(entry, metadata, (await folderOf(partsOf(entry).folder)).album)
      }
    },
  }
}

const isJson = (name: string) => /\.json$/i.test(name)

/** Distinguishes sidecars and albums by content, as their names are translated. */
async function readFolder(index: ArchiveIndex, folder: string, names: readonly string[]): Promise<TakeoutFolder> {
  const sidecars: { entry: string; title: string }[] = []
  let album: string | null = null
  for (const entry of names.filter(isJson)) {
    const text = await index.textOf(entry)
    const metadata = sidecarOf(text)
    if (metadata !== null) sidecars.push({ entry, title: metadata.title?.slice(0, TITLE_CHARACTERS) ?? '' })
    else album ??= albumOf(text)
  }
  const isOwn = OWN_FOLDER.test(partsOf(folder).name) || (album !== null && OWN_FOLDER.test(album))
  const siblings = names.filter((name) => !isJson(name)).map((name) => partsOf(name).name)
  return { album: isOwn ? null : album, sidecars: createSidecars(sidecars, siblings) }
}

function factsOfSidecar(metadata: Sidecar | null): Omit<SidecarFacts, 'tags'> {
  if (metadata === null) return noFacts
  const seconds = Number(metadata.photoTakenTime.timestamp)
  const isMoment = Number.isFinite(seconds) && Math.abs(seconds) < 1e10
  const places = [metadata.geoData, metadata.geoDataExif].map((one) => coordinatesOf(one?.latitude, one?.longitude))
  const place = places.find((place) => place !== null) ?? null
  const takenTime = isMoment ? takenTimeOfUtc(new Date(seconds * 1000).toISOString(), place) : null
  return {
    takenAt: takenTime?.at.toISOString() ?? null,
    takenLocal: takenTime?.local ?? null,
    latitude: place?.latitude ?? null,
    longitude: place?.longitude ?? null,
    description: plainText(metadata.description ?? '').trim() || null,
    isFavorite: metadata.favorited ?? false,
  }
}

/** Data of a sidecar without its picture, whose name is that of the sidecar or the title in it. */
function sidecarFileOf(entry: string, metadata: Sidecar, album: string | null): SidecarFile {
  const { folder, name } = partsOf(entry)
  const { bare, number } = numberedName(name.slice(0, -'.json'.length))
  const titles = [pictureNameIn(bare), metadata.title ?? '', plainText(metadata.title ?? '')]
  const names = titles.map(splitName).map(([stem, extension]) => `${stem}${number}${extension}`)
  return { ...factsOfSidecar(metadata), tags: album ? [album] : [], folder, names: [...new Set(names)] }
}
