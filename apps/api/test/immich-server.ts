import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** An asset of a fake Immich server. */
export interface FakeAsset {
  id: string
  name: string
  content: Buffer
  takenAt?: string
  place?: [latitude: number, longitude: number]
  description?: string
  isFavorite?: boolean
  isTrashed?: boolean
  visibility?: 'timeline' | 'archive' | 'hidden'
  albums?: string[]
  tags?: string[]
  people?: string[]
  /** Id of a live photo's video. */
  motion?: string
}

export type FakeImmich = Awaited<ReturnType<typeof startFakeImmich>>

const KEY = 'key-of-the-test'

/**
 * Starts a server with the part of Immich's documented API that imports use, with pages of two assets. Written from the published
 * descriptions; it wasn't compared with a real server.
 * @param isOlder behaves like versions before 3: albums list their assets, and pages are numbered.
 */
export async function startFakeImmich(assets: FakeAsset[], { isOlder = false }: { isOlder?: boolean } = {}) {
  const state = {
    assets,
    permissions: new Set(['asset.read', 'asset.download', 'album.read']),
    /** Originals to send before one breaks off in the middle; then the server is unreachable until this is set again. */
    originalsUntilOutage: Number.POSITIVE_INFINITY,
    /** Names of assets whose file is no longer on the server's disk. */
    missingOriginals: new Set<string>(),
    downloads: [] as string[],
    keys: new Set<unknown>(),
  }
  const albums = new Map<string, { id: string; name: string }>()
  for (const name of assets.flatMap((asset) => asset.albums ?? [])) {
    if (!albums.has(name)) albums.set(name, { id: randomUUID(), name })
  }
  const send = (response: ServerResponse, status: number, body: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  const inAlbum = (id: string) => {
    const name = [...albums.values()].find((album) => album.id === id)?.name
    return state.assets.filter((asset) => name !== undefined && asset.albums?.includes(name))
  }

  const search = async (request: IncomingMessage, response: ServerResponse) => {
    const filter = (await json(request)) as Record<string, unknown>
    const visibility = filter.visibility ?? 'timeline'
    const ids = filter.albumIds as string[] | undefined
    const matches = (ids === undefined ? state.assets : ids.flatMap(inAlbum)).filter(
      (asset) => (asset.visibility ?? 'timeline') === visibility && !asset.isTrashed,
    )
    const start = Number(filter.cursor ?? (Number(filter.page ?? 1) - 1) * 2)
    const hasMore = start + 2 < matches.length
    send(response, 200, {
      albums: { count: 0, facets: [], items: [], total: 0 },
      assets: {
        count: Math.min(2, matches.length - start),
        facets: [],
        items: matches.slice(start, start + 2).map((asset) => assetDto(asset, filter.withExif === true)),
        nextPage: hasMore && isOlder ? String(start / 2 + 2) : null,
        ...(isOlder ? {} : { nextCursor: hasMore ? String(start + 2) : null }),
        total: matches.length,
      },
    })
  }

  const sendOriginal = (asset: FakeAsset, response: ServerResponse) => {
    state.downloads.push(asset.name)
    response.writeHead(200, {
      'content-type': 'application/octet-stream',
      'content-length': asset.content.length,
    })
    if (state.originalsUntilOutage-- > 0) return response.end(asset.content)
    response.write(asset.content.subarray(0, asset.content.length / 2), () => response.destroy())
  }

  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://immich')
    if (state.originalsUntilOutage < 0) return void request.socket.destroy()
    state.keys.add(request.headers['x-api-key'])
    if (request.headers['x-api-key'] !== KEY) {
      return void send(response, 401, { message: 'Invalid API key', error: 'Unauthorized', statusCode: 401 })
    }
    const [, album] = /^\/api\/albums(?:\/([\w-]+))?$/.exec(pathname) ?? []
    const [isAsset, id, original] = /^\/api\/assets\/([\w-]+)(\/original)?$/.exec(pathname) ?? []
    const permission = pathname.startsWith('/api/albums') ? 'album.read' : original ? 'asset.download' : 'asset.read'
    if (!state.permissions.has(permission)) {
      return void send(response, 403, { message: `Missing required permission: ${permission}`, error: 'Forbidden' })
    }
    if (pathname === '/api/search/metadata' && request.method === 'POST') return void (await search(request, response))
    if (pathname === '/api/albums') {
      return void send(
        response,
        200,
        [...albums.values()].map(({ id: albumId, name }) => ({
          ...{ id: albumId, albumName: name, description: '', assetCount: inAlbum(albumId).length, shared: false },
        })),
      )
    }
    if (album !== undefined) {
      const assets = isOlder ? { assets: inAlbum(album).map((asset) => assetDto(asset, true)) } : {}
      return void send(response, 200, { id: album, albumName: '', ...assets })
    }
    const asset = isAsset ? state.assets.find((one) => one.id === id) : undefined
    if (asset === undefined)
      return void send(response, 400, { message: 'Not found or no access', error: 'Bad Request' })
    if (original && state.missingOriginals.has(asset.name)) send(response, 404, { message: 'Not Found' })
    else if (original) sendOriginal(asset, response)
    else {
      send(response, 200, {
        ...assetDto(asset, true),
        people: (asset.people ?? []).map((name) => ({ id: randomUUID(), name, isHidden: false, birthDate: null })),
        tags: (asset.tags ?? []).map((value) => ({ id: randomUUID(), name: value.split('/').at(-1), value })),
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    ...{ host, url: `http://${host}`, key: KEY, state },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function assetDto(asset: FakeAsset, withExif: boolean) {
  const takenAt = asset.takenAt ?? '2020-01-01T12:00:00.000Z'
  return {
    id: asset.id,
    ownerId: '9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d',
    type: asset.visibility === 'hidden' || /\.(mov|mp4)$/i.test(asset.name) ? 'VIDEO' : 'IMAGE',
    originalFileName: asset.name,
    originalPath: `/data/upload/${asset.name}`,
    checksum: createHash('sha1').update(asset.content).digest('base64'),
    fileCreatedAt: takenAt,
    fileModifiedAt: takenAt,
    localDateTime: takenAt,
    createdAt: takenAt,
    updatedAt: takenAt,
    ...{ isFavorite: asset.isFavorite ?? false, isArchived: asset.visibility === 'archive' },
    ...{ isTrashed: asset.isTrashed ?? false, isOffline: false, hasMetadata: true },
    visibility: asset.visibility ?? 'timeline',
    livePhotoVideoId: asset.motion ?? null,
    ...{ duration: null, thumbhash: null, width: 6, height: 4 },
    ...(withExif && {
      exifInfo: {
        fileSizeInByte: asset.content.length,
        dateTimeOriginal: asset.takenAt ?? null,
        latitude: asset.place?.[0] ?? null,
        longitude: asset.place?.[1] ?? null,
        description: asset.description ?? '',
        ...{ make: null, model: null, city: null, country: null },
      },
    }),
  }
}
