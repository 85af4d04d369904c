import type { MediaItemJson } from '@mira/shared'
import { describe, expect, it } from 'vitest'
import { ApiError } from '../../api/client.ts'
import type { PartsOptions } from '../../api/partial-uploads.ts'
import type { UploadChoices, UploadedItem } from '../../api/upload.ts'
import type { KnownFiles } from './duplicate-lookup.ts'
import { createUploadQueue } from './upload-queue.ts'

const itemOf = (id: string, given: Partial<MediaItemJson> = {}): MediaItemJson => ({
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
  ...given,
})

const step = (progress: number) => ({
  name: 'read' as const,
  status: 'processing' as const,
  progress,
  engine: null,
  error: null,
})

interface Sending {
  name: string
  choices: UploadChoices
  options: PartsOptions
  accept: (answer: UploadedItem) => void
  refuse: (status: number, detail: string) => void
}

/** A queue on a server that a test answers by hand. */
function setUp(knownFiles?: KnownFiles) {
  const sendings: Sending[] = []
  const items = new Map<string, MediaItemJson | ApiError>()
  const fetched: string[] = []
  const processedAgain: string[] = []
  const discarded: string[] = []
  let clockMs = 1_000_000
  const queue = createUploadQueue({
    ...(knownFiles ? { knownFiles } : {}),
    api: {
      uploadFile: (file, choices, options) =>
        new Promise((resolve, reject) => {
          options.signal?.addEventListener('abort', () => reject(new DOMException('Stopped', 'AbortError')))
          sendings.push({
            name: file.name,
            choices,
            options,
            accept: resolve,
            refuse: (status, detail) => reject(new ApiError(status, { code: 'refused', detail })),
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
        processedAgain.push(id)
      },
    },
    now: () => clockMs,
    wait: () => Promise.resolve(),
  })
  const add = (...names: string[]) => queue.add(names.map((name) => new File(['0123456789'], name)))
  const statuses = () => queue.entries.get().map(({ file, status }) => `${file.name} ${status}`)
  const sending = (index: number) => {
    const one = sendings[index]
    if (!one) throw new Error(`Only ${sendings.length} files were sent`)
    return one
  }
  const settle = () => new Promise((resolve) => setTimeout(resolve, 0))
  const pass = (milliseconds: number) => {
    clockMs += milliseconds
  }
  return { queue, sendings, sending, items, fetched, processedAgain, discarded, add, statuses, settle, pass }
}

/** A queue with one file that the server is processing. */
async function setUpProcessing() {
  const all = setUp()
  all.add('a.png')
  void all.queue.uploadAll()
  all.sending(0).accept({ item: itemOf('m1'), isDuplicate: false })
  await all.settle()
  return all
}

describe('the upload queue', () => {
  it('sends files one at a time in order, the next when the bytes before it are accepted', async () => {
    const { queue, sendings, sending, add, statuses, settle } = setUp()
    add('a.png', 'b.png', 'c.png')
    expect(statuses()).toEqual(['a.png pending', 'b.png pending', 'c.png pending'])
    const done = queue.uploadAll()
    expect(sendings.map(({ name }) => name)).toEqual(['a.png'])
    expect(statuses()).toEqual(['a.png uploading', 'b.png pending', 'c.png pending'])
    sending(0).accept({ item: itemOf('m1'), isDuplicate: false })
    await settle()
    expect(statuses()).toEqual(['a.png processing', 'b.png uploading', 'c.png pending'])
    sending(1).accept({
      item: itemOf('m2', { processing_status: 'completed', caption: 'A cat' }),
      isDuplicate: true,
    })
    await settle()
    sending(2).accept({ item: itemOf('m3'), isDuplicate: false })
    await done
    expect(statuses()).toEqual(['a.png processing', 'b.png completed', 'c.png processing'])
    expect(queue.entries.get()[1]).toMatchObject({ isDuplicate: true, result: { caption: 'A cat' }, mediaId: 'm2' })
    expect(queue.run.get()).toBeNull()
  })

  it('keeps what has arrived of a file in parts while it is paused, and discards it with the entry', async () => {
    const { queue, sending, add, statuses, settle, discarded } = setUp()
    add('film.mp4')
    const done = queue.uploadAll()
    sending(0).options.onBegun?.('p1', 4)
    sending(0).options.onProgress(6, 10)
    sending(0).options.onWaiting?.(true)
    expect(queue.entries.get()[0]).toMatchObject({ partialId: 'p1', progress: 60, isWaiting: true })
    // what was there before was not sent now
    expect(queue.run.get()?.sentBytes).toBe(2)
    queue.stop()
    await done
    expect(queue.entries.get()[0]).toMatchObject({ status: 'pending', progress: 60, isWaiting: false })
    void queue.uploadAll()
    expect(queue.entries.get()[0]).toMatchObject({ status: 'uploading', progress: 60 })
    sending(1).options.onBegun?.('p1', 6)
    sending(1).accept({ item: itemOf('m1'), isDuplicate: false })
    await settle()
    expect(statuses()).toEqual(['film.mp4 processing'])

    add('other.mp4')
    const again = queue.uploadAll()
    sending(2).options.onBegun?.('p2', 0)
    queue.stop()
    await again
    queue.remove(queue.entries.get()[1]?.id ?? 0)
    expect([statuses(), discarded]).toEqual([['film.mp4 processing'], ['p2']])
  })

  it('also sends what is added while it sends', async () => {
    const { queue, sending, add, settle, statuses } = setUp()
    add('a.png')
    void queue.uploadAll()
    add('b.png')
    sending(0).accept({ item: itemOf('m1'), isDuplicate: false })
    await settle()
    expect(statuses()).toEqual(['a.png processing', 'b.png uploading'])
  })

  it('counts the bytes of a run', async () => {
    const { queue, sending, add, settle } = setUp()
    add('a.png', 'b.png')
    void queue.uploadAll()
    sending(0).options.onProgress(100, 200)
    expect(queue.entries.get()[0]?.progress).toBe(50)
    expect(queue.run.get()).toMatchObject({ sentBytes: 5, finishedBytes: 0, finishedFiles: 0 })
    sending(0).options.onProgress(200, 200)
    sending(0).accept({ item: itemOf('m1'), isDuplicate: false })
    await settle()
    sending(1).options.onProgress(40, 200)
    expect(queue.run.get()).toMatchObject({ sentBytes: 12, finishedBytes: 10, finishedFiles: 1 })
  })

  it('says whether the place is kept as it stands when a file is sent', async () => {
    const { queue, sending, add, settle } = setUp()
    add('a.png', 'b.png')
    void queue.uploadAll()
    queue.keepsPlace.set(true)
    sending(0).accept({ item: itemOf('m1'), isDuplicate: false })
    await settle()
    expect([sending(0).choices, sending(1).choices]).toEqual([{ keepPlace: false }, { keepPlace: true }])
  })

  it('goes on with the next file when one is refused, and sends that one again alone when asked', async () => {
    const { queue, sending, sendings, add, settle, statuses } = setUp()
    add('a.png', 'b.png')
    void queue.uploadAll()
    sending(0).refuse(415, 'This is no picture.')
    await settle()
    expect(statuses()).toEqual(['a.png error', 'b.png uploading'])
    expect(queue.entries.get()[0]?.error).toMatchObject({ detail: 'This is no picture.' })
    sending(1).accept({ item: itemOf('m2'), isDuplicate: false })
    await settle()
    add('c.png')
    void queue.retry(1)
    expect(sendings).toHaveLength(3)
    sending(2).accept({ item: itemOf('m1'), isDuplicate: false })
    await settle()
    expect(statuses()).toEqual(['a.png processing', 'b.png processing', 'c.png pending'])
  })

  it('tries three times without a connection, then keeps the rest pending', async () => {
    const { queue, sending, sendings, add, settle, statuses } = setUp()
    add('a.png', 'b.png')
    const done = queue.uploadAll()
    for (const attempt of [0, 1, 2]) {
      sending(attempt).refuse(0, 'The server cannot be reached.')
      await settle()
    }
    await done
    expect(sendings.map(({ name }) => name)).toEqual(['a.png', 'a.png', 'a.png'])
    expect(statuses()).toEqual(['a.png error', 'b.png pending'])
  })

  it('stops on request, and the file under way is pending again', async () => {
    const { queue, add, settle, statuses } = setUp()
    add('a.png', 'b.png')
    void queue.uploadAll()
    queue.stop()
    await settle()
    expect(statuses()).toEqual(['a.png pending', 'b.png pending'])
    expect(queue.run.get()).toBeNull()
  })

  it('lets only pending entries be removed, and done ones be cleared', async () => {
    const { queue, sending, add, settle, statuses } = setUp()
    add('a.png', 'b.png', 'c.png')
    void queue.uploadAll()
    queue.remove(1)
    queue.remove(2)
    expect(statuses()).toEqual(['a.png uploading', 'c.png pending'])
    sending(0).accept({ item: itemOf('m1', { processing_status: 'completed' }), isDuplicate: false })
    await settle()
    sending(1).refuse(415, 'This is no picture.')
    await settle()
    queue.clear('completed')
    expect(statuses()).toEqual(['c.png error'])
    queue.clear('error')
    expect(statuses()).toEqual([])
  })

  it('forgets everything when another person signs in', async () => {
    const { queue, sending, add, settle } = setUp()
    add('a.png', 'b.png')
    void queue.uploadAll()
    queue.reset()
    await settle()
    expect(sending(0).options.signal?.aborted).toBe(true)
    expect(queue.entries.get()).toEqual([])
    expect(queue.run.get()).toBeNull()
  })
})

describe('a file that the server processes', () => {
  it('is followed by events to its result', async () => {
    const { queue, items, settle, statuses } = await setUpProcessing()
    queue.handleEvent({ type: 'media.progress', id: 'm1', steps: [step(0.5)] })
    expect(queue.entries.get()[0]?.steps).toEqual([step(0.5)])
    items.set('m1', itemOf('m1', { processing_status: 'completed', extracted_text: 'OPEN', content: 'x' }))
    queue.handleEvent({ type: 'media.done', id: 'm1' })
    await settle()
    expect(statuses()).toEqual(['a.png completed'])
    expect(queue.entries.get()[0]?.result).toEqual({
      caption: null,
      extractedText: 'OPEN',
      transcription: null,
      failedSteps: [],
      skippedSteps: [],
    })
  })

  it('tells what was left out of looking for words in it', async () => {
    const { queue, items, settle } = await setUpProcessing()
    const leftOut = { ...step(0), status: 'skipped' as const, error: 'The model is not on this server yet.' }
    const transcribe = { ...leftOut, name: 'transcribe' as const }
    const processing_steps = [transcribe, { ...leftOut, name: 'playback' as const }]
    items.set('m1', itemOf('m1', { processing_status: 'completed', processing_steps }))
    queue.handleEvent({ type: 'media.done', id: 'm1' })
    await settle()
    expect(queue.entries.get()[0]?.result).toMatchObject({ failedSteps: [], skippedSteps: [transcribe] })
  })

  it('ends as an error with the reason, and is processed again when asked', async () => {
    const { queue, processedAgain, statuses, settle } = await setUpProcessing()
    queue.handleEvent({ type: 'media.failed', id: 'm1', error: 'The picture is damaged.' })
    expect(statuses()).toEqual(['a.png error'])
    expect(queue.entries.get()[0]?.error).toMatchObject({ message: 'The picture is damaged.' })
    await queue.retry(1)
    await settle()
    expect(processedAgain).toEqual(['m1'])
    expect(statuses()).toEqual(['a.png processing'])
  })

  it('is asked for when nothing was heard of it for a while', async () => {
    const { queue, items, fetched, statuses, pass } = await setUpProcessing()
    items.set('m1', itemOf('m1', { processing_steps: [step(0.9)] }))
    pass(5_000)
    await queue.checkSilent()
    expect(fetched).toEqual([])
    pass(2_000)
    await queue.checkSilent()
    await queue.checkSilent()
    expect(fetched).toEqual(['m1'])
    expect(queue.entries.get()[0]?.steps).toEqual([step(0.9)])
    items.set('m1', itemOf('m1', { processing_status: 'failed', error: 'Damaged.' }))
    pass(7_000)
    await queue.checkSilent()
    expect(statuses()).toEqual(['a.png error'])
  })

  it('is asked for at once when events may have been missed', async () => {
    const { queue, items, statuses } = await setUpProcessing()
    items.set('m1', itemOf('m1', { processing_status: 'completed' }))
    queue.handleEvent({ type: 'events.resumed' })
    await queue.checkSilent()
    expect(statuses()).toEqual(['a.png completed'])
  })

  it('stays in the queue when the server cannot be asked, and ends when it was deleted', async () => {
    const { queue, items, statuses, pass } = await setUpProcessing()
    items.set('m1', new ApiError(0, { code: 'network', detail: 'Away' }))
    pass(7_000)
    await queue.checkSilent()
    expect(statuses()).toEqual(['a.png processing'])
    items.set('m1', new ApiError(404, { code: 'not_found', detail: 'Gone' }))
    pass(7_000)
    await queue.checkSilent()
    expect(statuses()).toEqual(['a.png error'])
  })

  it('leaves the queue when it is deleted elsewhere', async () => {
    const { queue, statuses } = await setUpProcessing()
    queue.handleEvent({ type: 'media.updated', ids: ['m1'], deleted: true })
    expect(statuses()).toEqual([])
  })
})

describe('files that the memory has already', () => {
  const hashing = (known: Record<string, string>, fetchKnownItems?: KnownFiles['fetchKnownItems']): KnownFiles => ({
    sha256Of: async ({ name }) => `hash of ${name}`,
    fetchKnownItems:
      fetchKnownItems ??
      (async (hashes) => new Map(hashes.flatMap((hash) => (known[hash] ? [[hash, known[hash]] as const] : [])))),
  })

  it('are told before a byte of them is sent, and only the others are sent', async () => {
    const { queue, add, items, sendings, sending, statuses, settle } = setUp(hashing({ 'hash of there.png': 'm1' }))
    items.set('m1', itemOf('m1', { processing_status: 'completed', thumbnail: '/small' }))
    add('there.png', 'new.png')
    void queue.uploadAll()
    await settle()
    expect(statuses()).toEqual(['there.png completed', 'new.png uploading'])
    expect(queue.entries.get()[0]).toMatchObject({ isDuplicate: true, mediaId: 'm1', thumbnail: '/small' })
    expect(sendings.map(({ name }) => name)).toEqual(['new.png'])
    sending(0).accept({ item: itemOf('m2'), isDuplicate: false })
    await settle()
    expect(queue.run.get()).toBeNull()
  })

  it('are sent again when they could not be processed, so that they are tried anew', async () => {
    const { queue, add, items, sendings, settle } = setUp(hashing({ 'hash of broken.png': 'm1' }))
    items.set('m1', itemOf('m1', { processing_status: 'failed' }))
    add('broken.png')
    void queue.uploadAll()
    await settle()
    expect(sendings).toHaveLength(1)
  })

  it('are sent when it cannot be asked which there are, and while that is asked sending can be stopped', async () => {
    const refused = setUp(hashing({}, () => Promise.reject(new Error('no'))))
    refused.add('a.png')
    void refused.queue.uploadAll()
    await refused.settle()
    expect(refused.sendings).toHaveLength(1)

    const silent = setUp(hashing({}, () => new Promise(() => {})))
    silent.add('a.png')
    const sent = silent.queue.uploadAll()
    silent.queue.stop()
    await sent
    expect(silent.queue.run.get()).toBeNull()
    expect(silent.statuses()).toEqual(['a.png pending'])
  })
})
