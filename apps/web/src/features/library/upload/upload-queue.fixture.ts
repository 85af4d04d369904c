import type { MediaItemJson } from '@mira/shared'
import { ApiError } from '../../../lib/api/client.ts'
import type { PartsOptions, UploadChoices, UploadedItem } from '../../../lib/api/uploads.ts'
import type { KnownFiles } from './queue-entry.ts'
import { createUploadQueue } from './upload-queue.ts'

/** An item being processed, as the server returns it. */
export const itemOf = (id: string, overrides: Partial<MediaItemJson> = {}): MediaItemJson => ({
  id,
  media_type: 'image',
  content: null,
  caption: null,
  extracted_text: null,
  transcription: null,
  thumbnail: null,
  url: `/api/media/${id}/file`,
  preview_url: null,
  duration: null,
  timestamp: '2026-11-20T12:00:00.000Z',
  frames_count: 0,
  metadata: {
    original_filename: 'a.png',
    content_type: 'image/png',
    size_bytes: 10,
    sha256: 'ab',
    width: null,
    height: null,
    pages: null,
    taken_at: null,
    taken_local: null,
    corrected: [],
    camera: null,
    latitude: null,
    longitude: null,
    created_at: '2026-11-20T12:00:00.000Z',
    source: null,
    details: {},
  },
  thumbhash: null,
  tags: [],
  engines: {},
  processing_status: 'processing',
  processing_steps: [],
  error: null,
  ...overrides,
})

/** A processing step with this progress. */
export const step = (progress: number) => ({
  name: 'read' as const,
  status: 'processing' as const,
  progress,
  engine: null,
  error: null,
})

interface Upload {
  name: string
  choices: UploadChoices
  options: PartsOptions
  accept: (uploaded: UploadedItem) => void
  fail: (status: number, detail: string) => void
}

/** An upload queue whose requests the test controls. */
export function setUp(knownFiles?: KnownFiles) {
  const prepared: string[] = []
  const uploads: Upload[] = []
  const items = new Map<string, MediaItemJson | ApiError>()
  const fetched: string[] = []
  const reprocessed: string[] = []
  const discarded: string[] = []
  let clockMs = 1_000_000
  const queue = createUploadQueue({
    ...(knownFiles ? { knownFiles } : {}),
    api: {
      prepareUploads: (files) => void prepared.push(...files.map(({ name }) => name)),
      uploadFile: (file, choices, options) =>
        new Promise((resolve, reject) => {
          options.signal?.addEventListener('abort', () => reject(new DOMException('Stopped', 'AbortError')))
          uploads.push({
            name: file.name,
            choices,
            options,
            accept: resolve,
            fail: (status, detail) => reject(new ApiError(status, { code: 'refused', detail })),
          })
        }),
      async discardPartialUpload(id) {
        discarded.push(id)
      },
      async fetchUploadedItem(id) {
        fetched.push(id)
        const item = items.get(id)
        if (item === undefined || item instanceof ApiError) throw item ?? new Error('No item')
        return item
      },
      async processAgain(id) {
        reprocessed.push(id)
      },
    },
    now: () => clockMs,
    wait: () => Promise.resolve(),
  })
  const add = (...names: string[]) => queue.add(names.map((name) => new File(['0123456789'], name)))
  const statuses = () => queue.entries.get().map(({ file, status }) => `${file.name} ${status}`)
  const uploadAt = (index: number) => {
    const upload = uploads[index]
    if (!upload) throw new Error(`Only ${uploads.length} files were sent`)
    return upload
  }
  const settle = () => new Promise((resolve) => setTimeout(resolve, 0))
  const advanceClock = (milliseconds: number) => {
    clockMs += milliseconds
  }
  return {
    queue,
    prepared,
    uploads,
    uploadAt,
    items,
    fetched,
    reprocessed,
    discarded,
    add,
    statuses,
    settle,
    advanceClock,
  }
}

/** A queue with one file that the server is processing. */
export async function setUpProcessing() {
  const all = setUp()
  all.add('a.png')
  void all.queue.uploadAll()
  all.uploadAt(0).accept({ item: itemOf('m1'), isDuplicate: false })
  await all.settle()
  return all
}
