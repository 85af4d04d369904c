import type { LibraryJson, MediaDetailJson, MediaItemJson, MediaStats, ReprocessProgress } from '@mira/shared'
import { expect, type Page } from '@playwright/test'
import type { Account, TestServer } from './server.ts'

const DAY_MS = 86_400_000
const NEWEST = Date.parse('2026-11-18T10:00:00.000Z')
const types = ['image', 'image', 'image', 'video', 'image', 'document', 'image', 'audio'] as const
const sizes = [
  [1600, 1200],
  [1200, 1600],
  [1920, 1080],
  [1080, 1080],
  [2400, 1000],
] as const

/** Id of an item of the mock library. */
export function mockId(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
}

/** Item of the mock library; the same number always gives the same item. */
function mockItem(number: number): MediaItemJson {
  const type = types[number % types.length] ?? 'image'
  const [width, height] = sizes[number % sizes.length] ?? sizes[0]
  const hasPicture = type !== 'audio'
  const id = mockId(number)
  const moment = new Date(NEWEST - number * 7 * 3_600_000).toISOString()
  const extension = { image: 'jpg', video: 'mp4', audio: 'mp3', document: 'pdf' }[type]
  return {
    id,
    media_type: type,
    content: type === 'document' ? 'Agreement between the parties about the garden.' : null,
    caption: number % 3 === 0 ? `Picture of harbour number ${number}` : null,
    extracted_text: number % 4 === 1 ? `Sign ${number}: Ferry leaves at noon` : null,
    transcription: type === 'audio' ? 'Good morning, this is the recording.' : null,
    thumbnail: hasPicture ? `/api/media/${id}/thumbnail?signature=x` : null,
    url: `/api/media/${id}/file?signature=x`,
    preview_url: hasPicture ? `/api/media/${id}/preview?signature=x` : null,
    duration: type === 'video' || type === 'audio' ? 65 + number : null,
    timestamp: moment,
    frames_count: type === 'video' ? 6 : 0,
    metadata: {
      original_filename: `file-${number}.${extension}`,
      content_type: { image: 'image/jpeg', video: 'video/mp4', audio: 'audio/mpeg', document: 'application/pdf' }[type],
      size_bytes: 1_200_000 + number,
      sha256: 'a'.repeat(64),
      width: hasPicture ? width : null,
      height: hasPicture ? height : null,
      pages: type === 'document' ? 3 : null,
      taken_at: moment,
      taken_local: moment.slice(0, 19),
      corrected: [],
      camera: type === 'image' ? 'Fujifilm X100V' : null,
      latitude: null,
      longitude: null,
      created_at: new Date(NEWEST + DAY_MS).toISOString(),
      source: null,
      details: {},
    },
    thumbhash: hasPicture ? '3OcRJYB4d3h/iIeHeEh3eIhw+j2w' : null,
    tags: number % 5 === 0 ? ['harbour'] : [],
    engines: {},
    processing_status: number === 2 ? 'processing' : number === 4 ? 'failed' : 'completed',
    processing_steps: [],
    error: number === 4 ? 'The picture is cut off.' : null,
  }
}

/** Details of an item of the mock library. */
export function mockDetail(number: number, changes: Partial<MediaDetailJson> = {}): MediaDetailJson {
  return {
    ...mockItem(number),
    segments: [],
    frames: [],
    pages: [],
    words: [],
    waveform: [],
    locked: [],
    suggested_tags: [],
    source_gone_at: null,
    chapters: [],
    moments_by_engine: {},
    ...changes,
  }
}

/** State of the mock library. */
interface MockLibrary {
  /** Calls other than for images, such as `GET /media/library?limit=100`. */
  calls: string[]
  /** Details of single items that replace the generated ones. */
  details: Map<number, MediaDetailJson>
}

/** Mocks the media API as a library of `count` items; other calls reach the server. */
export async function mockLibrary(page: Page, count: number): Promise<MockLibrary> {
  const library: MockLibrary = { calls: [], details: new Map() }
  const trashedIds = new Set<string>()
  await page.route(/\/api\/media\//, async (route) => {
    const url = new URL(route.request().url())
    const [, , , idOrAction = '', part] = url.pathname.split('/')
    if (part !== undefined && part !== 'reprocess') return route.fulfill(drawing(Number(idOrAction.slice(-12)), url))
    library.calls.push(`${route.request().method()} ${url.pathname.slice(4)}${url.search}`)
    if (idOrAction === 'library') {
      const page = pageOf(count, url.searchParams)
      const media_items = page.media_items.filter(({ id }) => !trashedIds.has(id))
      return route.fulfill({ json: { ...page, media_items, total: page.total - trashedIds.size } })
    }
    if (idOrAction === 'stats') return route.fulfill({ json: statsOf(count) })
    if (idOrAction === 'tags')
      return route.fulfill({ json: { tags: [{ tag: 'harbour', count: Math.ceil(count / 5) }] } })
    if (idOrAction === 'reprocess')
      return route.fulfill({ json: { is_running: false, total: 0, done: 0 } satisfies ReprocessProgress })
    if (idOrAction === 'trash' || idOrAction === 'restore') {
      const { ids } = route.request().postDataJSON() as { ids: string[] }
      for (const id of ids) idOrAction === 'trash' ? trashedIds.add(id) : trashedIds.delete(id)
      return route.fulfill({ json: { changed: ids.length } })
    }
    const number = Number(idOrAction.slice(-12))
    return route.fulfill({ json: library.details.get(number) ?? mockDetail(number) })
  })
  return library
}

function pageOf(count: number, parameters: URLSearchParams): LibraryJson {
  const limit = Number(parameters.get('limit') ?? 100)
  const first = Number(parameters.get('cursor') ?? 0)
  const end = Math.min(count, first + limit)
  return {
    media_items: Array.from({ length: end - first }, (_, index) => mockItem(first + index)),
    next_cursor: end < count ? String(end) : null,
    total: count,
  }
}

function statsOf(count: number): MediaStats {
  return {
    total_items: count,
    by_type: { image: (count * 5) / 8, video: count / 8, audio: count / 8, document: count / 8 },
    total_bytes: count * 1_200_000,
    processing: 1,
    failed: 1,
  }
}

/** SVG image whose colours depend on its number. */
function drawing(number: number, url: URL) {
  const [width, height] = sizes[number % sizes.length] ?? sizes[0]
  const hue = (number * 47) % 360
  const isPage = url.pathname.includes('/pages/')
  const body = `<svg xmlns="http://www.w3.org/2000/svg" width="${isPage ? 595 : width}" height="${isPage ? 842 : height}" viewBox="0 0 100 100" preserveAspectRatio="none"><defs><linearGradient id="g" x1="0" y1="0" x2="0.3" y2="1"><stop offset="0" stop-color="hsl(${hue} 45% 72%)"/><stop offset="1" stop-color="hsl(${(hue + 50) % 360} 40% 38%)"/></linearGradient></defs><rect width="100" height="100" fill="url(#g)"/><circle cx="${30 + (number % 5) * 10}" cy="38" r="14" fill="hsl(${(hue + 180) % 360} 60% 80%)"/><path d="M0 78 L28 55 L52 74 L76 50 L100 72 V100 H0Z" fill="hsl(${(hue + 90) % 360} 30% 26%)"/></svg>`
  return { contentType: 'image/svg+xml', body }
}

/** Uploads a file and waits until it has been processed, for at most half a minute. */
export async function upload(
  server: TestServer,
  { token }: Account,
  name: string,
  content: string | Buffer<ArrayBuffer>,
): Promise<MediaItemJson> {
  const form = new FormData()
  form.append('file', new Blob([content]), name)
  form.append('wait', '30')
  const response = await fetch(`${server.url}/api/media/upload`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: form,
  })
  expect(response.ok, await response.clone().text()).toBe(true)
  return (await response.json()) as MediaItemJson
}
