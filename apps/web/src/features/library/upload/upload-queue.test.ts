import { describe, expect, it } from 'vitest'
import type { KnownFiles } from './queue-entry.ts'
import { itemOf, setUp } from './upload-queue.fixture.ts'

describe('the upload queue', () => {
  it('uploads files one at a time in order, each after the previous one is accepted', async () => {
    const { queue, uploads, uploadAt, add, statuses, settle } = setUp()
    add('a.png', 'b.png', 'c.png')
    expect(statuses()).toEqual(['a.png pending', 'b.png pending', 'c.png pending'])
    const uploading = queue.uploadAll()
    expect(uploads.map(({ name }) => name)).toEqual(['a.png'])
    expect(statuses()).toEqual(['a.png uploading', 'b.png pending', 'c.png pending'])
    uploadAt(0).accept({ item: itemOf('m1'), isDuplicate: false })
    await settle()
    expect(statuses()).toEqual(['a.png processing', 'b.png uploading', 'c.png pending'])
    uploadAt(1).accept({
      item: itemOf('m2', { processing_status: 'completed', caption: 'A cat' }),
      isDuplicate: true,
    })
    await settle()
    uploadAt(2).accept({ item: itemOf('m3'), isDuplicate: false })
    await uploading
    expect(statuses()).toEqual(['a.png processing', 'b.png completed', 'c.png processing'])
    expect(queue.entries.get()[1]).toMatchObject({ isDuplicate: true, result: { caption: 'A cat' }, mediaId: 'm2' })
    expect(queue.run.get()).toBeNull()
  })

  it('keeps the uploaded parts of a file while paused, and discards them with the entry', async () => {
    const { queue, uploadAt, add, statuses, settle, discarded } = setUp()
    add('film.mp4')
    const uploading = queue.uploadAll()
    uploadAt(0).options.onStarted?.('p1', 4)
    uploadAt(0).options.onProgress(6, 10)
    uploadAt(0).options.onWaiting?.(true)
    expect(queue.entries.get()[0]).toMatchObject({ partialId: 'p1', progress: 60, isWaiting: true })
    // parts from earlier don't count as sent in this run
    expect(queue.run.get()?.sentBytes).toBe(2)
    queue.stop()
    await uploading
    expect(queue.entries.get()[0]).toMatchObject({ status: 'pending', progress: 60, isWaiting: false })
    void queue.uploadAll()
    expect(queue.entries.get()[0]).toMatchObject({ status: 'uploading', progress: 60 })
    uploadAt(1).options.onStarted?.('p1', 6)
    uploadAt(1).accept({ item: itemOf('m1'), isDuplicate: false })
    await settle()
    expect(statuses()).toEqual(['film.mp4 processing'])

    add('other.mp4')
    const secondRun = queue.uploadAll()
    uploadAt(2).options.onStarted?.('p2', 0)
    queue.stop()
    await secondRun
    void queue.remove(queue.entries.get()[1]?.id ?? 0)
    expect([statuses(), discarded]).toEqual([['film.mp4 processing'], ['p2']])
  })

  it('loads the code for large files when they are added, since an update of the server may remove it before they are sent', () => {
    const { uploads, prepared, add } = setUp()
    add('film.mp4')
    expect([prepared, uploads]).toEqual([['film.mp4'], []])
  })

  it('also uploads files added during a run', async () => {
    const { queue, uploadAt, add, settle, statuses } = setUp()
    add('a.png')
    void queue.uploadAll()
    add('b.png')
    uploadAt(0).accept({ item: itemOf('m1'), isDuplicate: false })
    await settle()
    expect(statuses()).toEqual(['a.png processing', 'b.png uploading'])
  })

  it('counts the bytes of a run', async () => {
    const { queue, uploadAt, add, settle } = setUp()
    add('a.png', 'b.png')
    void queue.uploadAll()
    uploadAt(0).options.onProgress(100, 200)
    expect(queue.entries.get()[0]?.progress).toBe(50)
    expect(queue.run.get()).toMatchObject({ sentBytes: 5, finishedBytes: 0, finishedFiles: 0 })
    uploadAt(0).options.onProgress(200, 200)
    uploadAt(0).accept({ item: itemOf('m1'), isDuplicate: false })
    await settle()
    uploadAt(1).options.onProgress(40, 200)
    expect(queue.run.get()).toMatchObject({ sentBytes: 12, finishedBytes: 10, finishedFiles: 1 })
  })

  it('uses the current choice to keep the location for each file it sends', async () => {
    const { queue, uploadAt, add, settle } = setUp()
    add('a.png', 'b.png')
    void queue.uploadAll()
    queue.keepsPlace.set(true)
    uploadAt(0).accept({ item: itemOf('m1'), isDuplicate: false })
    await settle()
    expect([uploadAt(0).choices, uploadAt(1).choices]).toEqual([{ keepPlace: false }, { keepPlace: true }])
  })

  it('continues with the next file when one is rejected, and retries only that one on request', async () => {
    const { queue, uploadAt, uploads, add, settle, statuses } = setUp()
    add('a.png', 'b.png')
    void queue.uploadAll()
    uploadAt(0).fail(415, 'This is no picture.')
    await settle()
    expect(statuses()).toEqual(['a.png error', 'b.png uploading'])
    expect(queue.entries.get()[0]?.error).toMatchObject({ detail: 'This is no picture.' })
    uploadAt(1).accept({ item: itemOf('m2'), isDuplicate: false })
    await settle()
    add('c.png')
    void queue.retry(1)
    expect(uploads).toHaveLength(3)
    uploadAt(2).accept({ item: itemOf('m1'), isDuplicate: false })
    await settle()
    expect(statuses()).toEqual(['a.png processing', 'b.png processing', 'c.png pending'])
  })

  it('tries three times without a connection, then keeps the rest pending', async () => {
    const { queue, uploadAt, uploads, add, settle, statuses } = setUp()
    add('a.png', 'b.png')
    const uploading = queue.uploadAll()
    for (const attempt of [0, 1, 2]) {
      uploadAt(attempt).fail(0, 'The server can’t be reached.')
      await settle()
    }
    await uploading
    expect(uploads.map(({ name }) => name)).toEqual(['a.png', 'a.png', 'a.png'])
    expect(statuses()).toEqual(['a.png error', 'b.png pending'])
  })

  it('stops on request, and sets the current file back to pending', async () => {
    const { queue, add, settle, statuses } = setUp()
    add('a.png', 'b.png')
    void queue.uploadAll()
    queue.stop()
    await settle()
    expect(statuses()).toEqual(['a.png pending', 'b.png pending'])
    expect(queue.run.get()).toBeNull()
  })

  it('removes only pending entries, and clears completed and failed ones', async () => {
    const { queue, uploadAt, add, settle, statuses } = setUp()
    add('a.png', 'b.png', 'c.png')
    void queue.uploadAll()
    void queue.remove(1)
    void queue.remove(2)
    expect(statuses()).toEqual(['a.png uploading', 'c.png pending'])
    uploadAt(0).accept({ item: itemOf('m1', { processing_status: 'completed' }), isDuplicate: false })
    await settle()
    uploadAt(1).fail(415, 'This is no picture.')
    await settle()
    queue.clear('completed')
    expect(statuses()).toEqual(['c.png error'])
    queue.clear('error')
    expect(statuses()).toEqual([])
  })

  it('aborts and clears everything on reset', async () => {
    const { queue, uploadAt, add, settle } = setUp()
    add('a.png', 'b.png')
    void queue.uploadAll()
    queue.reset()
    await settle()
    expect(uploadAt(0).options.signal?.aborted).toBe(true)
    expect(queue.entries.get()).toEqual([])
    expect(queue.run.get()).toBeNull()
  })
})

describe('files that are already in the library', () => {
  const hashing = (
    idsOfHashes: Record<string, string>,
    fetchKnownItems?: KnownFiles['fetchKnownItems'],
  ): KnownFiles => ({
    sha256Of: async ({ name }) => `hash of ${name}`,
    fetchKnownItems:
      fetchKnownItems ??
      (async (hashes) =>
        new Map(hashes.flatMap((hash) => (idsOfHashes[hash] ? [[hash, idsOfHashes[hash]] as const] : [])))),
  })

  it('are recognised before anything is sent, and only the others are sent', async () => {
    const { queue, add, items, uploads, uploadAt, statuses, settle } = setUp(hashing({ 'hash of there.png': 'm1' }))
    items.set('m1', itemOf('m1', { processing_status: 'completed', thumbnail: '/small' }))
    add('there.png', 'new.png')
    void queue.uploadAll()
    await settle()
    expect(statuses()).toEqual(['there.png completed', 'new.png uploading'])
    expect(queue.entries.get()[0]).toMatchObject({ isDuplicate: true, mediaId: 'm1', thumbnail: '/small' })
    expect(uploads.map(({ name }) => name)).toEqual(['new.png'])
    uploadAt(0).accept({ item: itemOf('m2'), isDuplicate: false })
    await settle()
    expect(queue.run.get()).toBeNull()
  })

  it('are sent again when their processing failed, so that it is retried', async () => {
    const { queue, add, items, uploads, settle } = setUp(hashing({ 'hash of broken.png': 'm1' }))
    items.set('m1', itemOf('m1', { processing_status: 'failed' }))
    add('broken.png')
    void queue.uploadAll()
    await settle()
    expect(uploads).toHaveLength(1)
  })

  it('are sent when the lookup fails, and a run can be stopped during the lookup', async () => {
    const failing = setUp(hashing({}, () => Promise.reject(new Error('no'))))
    failing.add('a.png')
    void failing.queue.uploadAll()
    await failing.settle()
    expect(failing.uploads).toHaveLength(1)

    const unresponsive = setUp(hashing({}, () => new Promise(() => {})))
    unresponsive.add('a.png')
    const uploading = unresponsive.queue.uploadAll()
    unresponsive.queue.stop()
    await uploading
    expect(unresponsive.queue.run.get()).toBeNull()
    expect(unresponsive.statuses()).toEqual(['a.png pending'])
  })
})
