import { z } from 'zod'
import { coordinatesOf, takenTimeOfUtc } from '../../../lib/taken-time.ts'
import { type ArchiveIndex, nothingTold, type OpenMediaKind, partsOf } from '../media-archive-kind.ts'
import type { ToldFacts, ToldFile } from '../media-archives.ts'

const placeSchema = z.object({ latitude: z.number().min(-90).max(90), longitude: z.number().min(-180).max(180) })
const sidecarSchema = z.object({
  title: z.string().nullish(),
  description: z.string().nullish(),
  photoTakenTime: z.object({ timestamp: z.union([z.string(), z.number()]) }).nullish(),
  geoData: placeSchema.nullish().catch(null),
  geoDataExif: placeSchema.nullish().catch(null),
  favorited: z.boolean().nullish(),
  trashed: z.boolean().nullish(),
})
type Sidecar = z.infer<typeof sidecarSchema>
const albumSchema = z.object({ title: z.string().min(1) })

/** The names of sidecars are cut so that no name of a file is longer than 51 characters. */
const SIDECAR_NAME_CHARACTERS = 46
const SIDECAR_SUFFIX = '.supplemental-metadata'
/** Folders that Google makes for each year, in the languages of people's accounts. */
const YEAR_FOLDER = /^(?:photos|fotos|foto)\b.*\b(?:19|20)\d{2}$/i
/** Suffixes for pictures edited in Google Photos, in these languages. */
const EDITED = /-(?:edited|bearbeitet|editado|editada|modifié|modifiée|modificato|bewerkt)$/i

/** Google Photos out of Google Takeout: each picture has a JSON file beside it that tells what Google knows of it. */
export const openTakeout: OpenMediaKind = async (index) => {
  const sidecars = sidecarsOf(index.names)
  const siblings = siblingsOf(index.names)
  const titles = new Map<string, Promise<string | null>>()
  const used = new Set<string>()

  const albumOf = (folder: string): Promise<string | null> => {
    const known = titles.get(folder)
    if (known !== undefined) return known
    const title = readTitle(index, folder)
    titles.set(folder, title)
    return title
  }

  return {
    isPhotosOnly: true,
    async factsOf(entry) {
      const { folder, name } = partsOf(entry)
      const album = await albumOf(folder)
      const { sidecar, isOfPicture } = sidecarOf(sidecars.get(folder), name, siblings.get(folder) ?? [])
      if (sidecar !== null) used.add(sidecar)
      const told = await readSidecar(index, sidecar)
      if (told?.trashed) return null
      const facts = factsOfSidecar(told)
      // a film with words of its own would stay beside the picture that it is the motion of
      return { ...facts, description: isOfPicture ? null : facts.description, tags: album ? [album] : [] }
    },
    async *rest() {
      for (const entry of [...sidecars.values()].flatMap((here) => [...here.values()])) {
        const told = used.has(entry) ? null : await readSidecar(index, entry)
        if (told?.title && told.photoTakenTime && !told.trashed) {
          yield toldFileOf(entry, told, await albumOf(partsOf(entry).folder))
        }
      }
    },
  }
}

function factsOfSidecar(told: Sidecar | null): Omit<ToldFacts, 'tags'> {
  if (told === null) return nothingTold
  const seconds = Number(told.photoTakenTime?.timestamp ?? Number.NaN)
  const isMoment = Number.isFinite(seconds) && Math.abs(seconds) < 1e10
  const places = [told.geoData, told.geoDataExif].map((one) => coordinatesOf(one?.latitude, one?.longitude))
  const place = places.find((one) => one !== null) ?? null
  const taken = isMoment ? takenTimeOfUtc(new Date(seconds * 1000).toISOString(), place) : null
  return {
    takenAt: taken?.at.toISOString() ?? null,
    takenLocal: taken?.local ?? null,
    latitude: place?.latitude ?? null,
    longitude: place?.longitude ?? null,
    description: told.description?.trim() || null,
    isFavorite: told.favorited ?? false,
  }
}

/** Data of a sidecar without its picture, whose name is that of the sidecar or the title in it. */
function toldFileOf(entry: string, told: Sidecar, album: string | null): ToldFile {
  const { folder, name } = partsOf(entry)
  const [, own = '', number = ''] = /^(.*?)(\(\d+\))?\.json$/i.exec(name) ?? []
  const cut = own.lastIndexOf('.')
  const isSuffix = cut > 0 && SIDECAR_SUFFIX.startsWith(own.slice(cut))
  const [stem, extension] = splitName(isSuffix ? own.slice(0, cut) : own)
  const title = splitName(told.title ?? '')
  const names = [`${stem}${number}${extension}`, `${title[0]}${number}${title[1]}`]
  return { ...factsOfSidecar(told), tags: album ? [album] : [], folder, names: [...new Set(names)] }
}

async function readSidecar(index: ArchiveIndex, entry: string | null): Promise<Sidecar | null> {
  const read = sidecarSchema.safeParse(entry === null ? null : jsonOf(await index.textOf(entry)))
  return read.success ? read.data : null
}

/** The name of an album; null for folders of years, and what is no folder of pictures. */
async function readTitle(index: ArchiveIndex, folder: string): Promise<string | null> {
  const own = partsOf(folder).name
  if (YEAR_FOLDER.test(own)) return null
  const metadata = index.names.find((name) => {
    const parts = partsOf(name)
    return (
      parts.folder === folder && /^(?:metadata|metadaten|métadonnées|metadatos)(?:\(\d+\))?\.json$/i.test(parts.name)
    )
  })
  if (metadata === undefined) return null
  const read = albumSchema.safeParse(jsonOf(await index.textOf(metadata)))
  const title = read.success ? read.data.title : own
  return YEAR_FOLDER.test(title) ? null : title
}

function jsonOf(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text)
  } catch {
    // a sidecar that is cut off tells nothing
    return null
  }
}

/** By folder, then by what stands before `.json`, without the number of one of several of the same name. */
function sidecarsOf(names: readonly string[]): Map<string, Map<string, string>> {
  const byFolder = new Map<string, Map<string, string>>()
  for (const entry of names) {
    const { folder, name } = partsOf(entry)
    if (!/\.json$/i.test(name)) continue
    const here = byFolder.get(folder) ?? new Map<string, string>()
    byFolder.set(folder, here.set(name.slice(0, -'.json'.length), entry))
  }
  return byFolder
}

function siblingsOf(names: readonly string[]): Map<string, string[]> {
  return Map.groupBy(
    names.filter((name) => !/\.json$/i.test(name)),
    (name) => partsOf(name).folder,
  ) as Map<string, string[]>
}

/** The sidecar of a picture: of its own name, of what it was edited from, or of the picture that it is the motion of. */
function sidecarOf(
  here: Map<string, string> | undefined,
  name: string,
  siblings: readonly string[],
): { sidecar: string | null; isOfPicture: boolean } {
  if (here === undefined) return { sidecar: null, isOfPicture: false }
  const own = named(here, name)
  if (own !== null) return { sidecar: own, isOfPicture: false }
  const [stem, extension] = splitName(name)
  const original = stem.replace(EDITED, '')
  if (original !== stem) return { sidecar: named(here, `${original}${extension}`), isOfPicture: false }
  for (const sibling of siblings) {
    const other = partsOf(sibling).name
    if (other === name || splitName(other)[0] !== stem) continue
    const found = named(here, other)
    if (found !== null) return { sidecar: found, isOfPicture: true }
  }
  return { sidecar: null, isOfPicture: false }
}

/** `IMG_1(2).jpg` has `IMG_1.jpg(2).json`, or `IMG_1.jpg.supplemental-metadata(2).json`; long names are cut. */
function named(here: Map<string, string>, name: string): string | null {
  const [stem, extension] = splitName(name)
  const number = /\(\d+\)$/.exec(stem)?.[0] ?? ''
  const bare = `${stem.slice(0, stem.length - number.length)}${extension}`
  const whole = `${bare}${SIDECAR_SUFFIX}`
  for (let length = whole.length; length >= Math.min(bare.length, SIDECAR_NAME_CHARACTERS - number.length); length--) {
    const found = here.get(`${whole.slice(0, length)}${number}`)
    if (found !== undefined) return found
  }
  return here.get(name) ?? null
}

function splitName(name: string): [stem: string, extension: string] {
  const at = name.lastIndexOf('.')
  return at <= 0 ? [name, ''] : [name.slice(0, at), name.slice(at)]
}
