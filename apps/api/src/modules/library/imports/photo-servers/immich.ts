import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { acceptedExtensionsOf, mediaTypes } from '@mira/shared'
import { noFacts } from '../../../../parsers/media-archives/media-archives.ts'
import { coordinatesOf, takenTimeOfUtc } from '../../../../platform/lib/taken-time.ts'
import { readJsonLines, writeJsonLines } from '../../../../platform/storage/json-lines.ts'
import { type ImmichServer, noImmich, openImmich, type TransferLimits } from './immich-client.ts'
import { type Asset, albumSchema, assetSchema, detailSchema, idSchema, MAX_NAME_CHARACTERS } from './immich-schemas.ts'
import type { FetchedPhoto, PhotoServerListing, PhotoServers, ServedFile, UnfetchedReason } from './photo-servers.ts'

/** Imported visibilities: timeline and archive, never the locked folder. */
const IMPORTED_VISIBILITIES = ['timeline', 'archive']
/** Visibility of live photos' videos, which are imported with their pictures. */
const HIDDEN_VISIBILITY = 'hidden'
/** Names of videos that Immich extracted from motion pictures, which still contain them. */
const EXTRACTED_VIDEO_NAME = /-MP\.mp4$/i
const MAX_LEFT_OUT = 100
const MAX_ALBUMS = 20_000
/** Maximum number of albums that a picture is tagged with. */
const MAX_ALBUMS_OF_PICTURE = 100
/** The length of 2024-07-14T09:28:00. */
const CLOCK_CHARACTERS = 19
const PARALLEL_FETCHES = 4
const LIST_FILE = 'served.ndjson'
const extensions = new Set(acceptedExtensionsOf(...mediaTypes))

/** The few fields of a live photo's video that are held in memory, since there may be very many videos. */
type LivePhotoVideo = Pick<ServedFile, 'sourceId' | 'name' | 'sizeBytes'>

/**
 * Immich through its documented API: lists come from POST /search/metadata, originals from GET /assets/{id}/original. The
 * key needs `asset.read`, `asset.download` and `album.read`.
 */
export function createImmich({
  fetch,
  limits,
  maxIds,
}: {
  fetch: typeof globalThis.fetch
  limits?: TransferLimits
  /** Maximum number of ids per server, which tests lower. */
  maxIds?: number
}): PhotoServers {
  return {
    async list(access, { folder, maxFileBytes, signal }) {
      const server = openImmich(access, { fetch, signal, maxIds })
      const albums = await albumsOf(server)
      const filename = join(folder, LIST_FILE)
      const listing = { found: 0, leftOut: [] as PhotoServerListing['leftOut'] }
      await writeJsonLines(filename, listFiles(server, { albums, maxFileBytes, listing }))
      return { ...listing, files: (stop) => readJsonLines<ServedFile>(filename, stop) }
    },

    async fetch(access, files, { folder, maxFileBytes, signal }) {
      const server = openImmich(access, { fetch, signal, limits })
      const fetched: (FetchedPhoto | UnfetchedReason)[] = []
      for (let from = 0; from < files.length; from += PARALLEL_FETCHES) {
        const results = await Promise.allSettled(
          files
            .slice(from, from + PARALLEL_FETCHES)
            .map((file, index) => fetchOne(server, file, join(folder, `served-${from + index + 1}`), maxFileBytes)),
        )
        for (const result of results) {
          if (result.status === 'rejected') throw result.reason
          fetched.push(result.value)
        }
      }
      return fetched
    },
  }
}

/** Album names by asset id. */
async function albumsOf(server: ImmichServer): Promise<Map<string, string[]>> {
  const names = new Map<string, string[]>()
  const addName = (asset: unknown, name: string) => {
    const id = idSchema.safeParse(asset).data?.id
    if (id === undefined) throw noImmich()
    const assetAlbums = names.get(id) ?? []
    if (assetAlbums.length < MAX_ALBUMS_OF_PICTURE) names.set(id, [...assetAlbums, name])
  }
  const albums: { id: string; name: string }[] = []
  const list = await server.list('/albums', { permission: 'album.read' })
  for await (const rawAlbum of list?.elements ?? []) {
    const { data: album } = albumSchema.safeParse(rawAlbum)
    if (album === undefined || albums.length >= MAX_ALBUMS) throw noImmich()
    const name = album.albumName.trim()
    if (name !== '' && name.length <= MAX_NAME_CHARACTERS) albums.push({ id: album.id, name })
  }
  for (const { id, name } of albums) {
    const album = await server.list(`/albums/${id}`, { key: 'assets', permission: 'album.read', mayBeGone: true })
    if (album === null) continue
    for await (const asset of album.elements) addName(asset, name)
    // Newer servers don't list an album's assets, so they are searched for.
    if (album.hasBegun()) continue
    for await (const asset of server.search({ albumIds: [id] })) {
      server.countId()
      addName(asset, name)
    }
  }
  return names
}

async function* listFiles(
  server: ImmichServer,
  {
    albums,
    maxFileBytes,
    listing,
  }: {
    albums: Map<string, string[]>
    maxFileBytes: number
    listing: { found: number; leftOut: PhotoServerListing['leftOut'] }
  },
): AsyncGenerator<ServedFile> {
  const seenIds = new Set<string>()
  const motionVideos = await livePhotoVideosOf(server)
  const accept = ({ name, sizeBytes }: Pick<ServedFile, 'name' | 'sizeBytes'>) => {
    const isSupported = extensions.has(/\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '')
    if (isSupported && sizeBytes <= maxFileBytes) {
      listing.found += 1
      return true
    }
    if (listing.leftOut.length < MAX_LEFT_OUT)
      listing.leftOut.push({ name, reason: isSupported ? 'too_large' : 'unsupported' })
    return false
  }
  for (const visibility of IMPORTED_VISIBILITIES) {
    for await (const rawAsset of server.search({ visibility, withExif: true, order: 'asc' })) {
      const asset = assetSchema.safeParse(rawAsset).data
      // Servers that ignore the visibility return the same assets for each visibility.
      if (asset === undefined || asset.isTrashed || seenIds.has(asset.id)) continue
      server.countId()
      seenIds.add(asset.id)
      const file = fileOf(asset, albums.get(asset.id) ?? [])
      if (!accept(file)) continue
      yield file
      const motionVideo = motionVideos.get(asset.livePhotoVideoId ?? '')
      if (motionVideo === undefined || seenIds.has(motionVideo.sourceId)) continue
      seenIds.add(motionVideo.sourceId)
      if (accept(motionVideo))
        yield {
          ...noFacts,
          ...motionVideo,
          motionVideoOf: file.sourceId,
          takenAt: file.takenAt,
          takenLocal: file.takenLocal,
        }
    }
  }
}

/** Videos that belong to pictures, by their ids. */
async function livePhotoVideosOf(server: ImmichServer): Promise<Map<string, LivePhotoVideo>> {
  const motionVideos = new Map<string, LivePhotoVideo>()
  for await (const rawAsset of server.search({ visibility: HIDDEN_VISIBILITY, withExif: true })) {
    const asset = assetSchema.safeParse(rawAsset).data
    // Servers that ignore the visibility return all assets.
    if (asset?.type !== 'VIDEO' || asset.visibility !== HIDDEN_VISIBILITY || asset.isTrashed) continue
    if (EXTRACTED_VIDEO_NAME.test(asset.originalPath ?? '')) continue
    const { sourceId, name, sizeBytes } = fileOf(asset, [])
    server.countId()
    motionVideos.set(sourceId, { sourceId, name, sizeBytes })
  }
  return motionVideos
}

function fileOf(asset: Asset, albums: string[]): ServedFile {
  const { id, originalFileName, fileCreatedAt, localDateTime, isFavorite, exifInfo } = asset
  const place = coordinatesOf(exifInfo?.latitude, exifInfo?.longitude)
  const takenAt = isoTimeOf(exifInfo?.dateTimeOriginal) ?? isoTimeOf(fileCreatedAt)
  return {
    sourceId: id,
    name: originalFileName,
    sizeBytes: exifInfo?.fileSizeInByte ?? 0,
    takenAt,
    // Immich writes local times as if they were UTC.
    takenLocal:
      isoTimeOf(localDateTime)?.slice(0, CLOCK_CHARACTERS) ?? takenTimeOfUtc(takenAt ?? '', place)?.local ?? null,
    latitude: place?.latitude ?? null,
    longitude: place?.longitude ?? null,
    description: exifInfo?.description?.trim() || null,
    isFavorite,
    tags: albums,
    motionVideoOf: null,
  }
}

function isoTimeOf(text: string | null | undefined): string | null {
  const timeMs = Date.parse(text ?? '')
  return Number.isNaN(timeMs) ? null : new Date(timeMs).toISOString()
}

/** Fetches a complete file. */
async function fetchOne(
  server: ImmichServer,
  { sourceId }: ServedFile,
  filename: string,
  maxFileBytes: number,
): Promise<FetchedPhoto | UnfetchedReason> {
  const detail = await server.json(`/assets/${sourceId}`, detailSchema, { permission: 'asset.read', mayBeGone: true })
  if (detail === null) return 'unavailable'
  const { people, tags } = detail
  const peopleNames = people.filter(({ isHidden }) => !isHidden).map(({ name }) => name)
  const body = await server.bytes(`/assets/${sourceId}/original`, { permission: 'asset.download' })
  if (body === null) return 'unavailable'
  let isTooLarge = false
  let sizeBytes = 0
  await pipeline(
    Readable.from(body),
    async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        sizeBytes += chunk.length
        isTooLarge = sizeBytes > maxFileBytes
        if (isTooLarge) return
        yield chunk
      }
    },
    createWriteStream(filename),
  )
  if (isTooLarge) {
    await rm(filename, { force: true })
    return 'too_large'
  }
  const allTags = [...tags.map(({ value }) => value), ...peopleNames].map((tag) => tag.trim())
  return { filename, tags: [...new Set(allTags.filter((tag) => tag !== ''))] }
}
