import type { MediaItemJson } from '@mira/shared'
import { ApiError } from '../../../lib/api/client.ts'
import type { PartsOptions, UploadChoices, UploadedItem } from '../../../lib/api/uploads.ts'
import type { ClientEvent } from '../../../lib/loading/event-stream.ts'
import { createStore, type Store } from '../../../lib/loading/store.ts'
import type { KeptHandles } from './kept-handles.ts'
import {
  changesFromItem,
  createKnownLookup,
  type KnownFiles,
  newEntry,
  ProcessingFailure,
  type QueueEntry,
} from './queue-entry.ts'

/** Files that are being sent one after the other, from "Upload All" until none waits. */
export interface UploadRun {
  startedAtMs: number
  /** Number of accepted or failed files. */
  finishedFiles: number
  failedFiles: number
  finishedBytes: number
  /** Bytes of all files of this run that have left the browser. */
  sentBytes: number
}

/** The files that a person adds to the memory, and where each of them is. */
interface UploadQueue {
  entries: Store<readonly QueueEntry[]>
  /** Null while nothing is being sent. */
  run: Store<UploadRun | null>
  /** Keep the location in the metadata of files sent from now on. */
  keepsPlace: Store<boolean>
  add: (files: readonly File[]) => void
  /** Sends what is pending, also what is added meanwhile, one at a time in order. */
  uploadAll: () => Promise<void>
  /** Adds a file that was begun before and sends it, and nothing else that waits. */
  goOn: (file: File) => Promise<void>
  /** Stops sending; the file under way is pending again. */
  stop: () => void
  /** Takes a pending entry away, with what has arrived of it; others stay. */
  /** Resolves once its part on the server is discarded. */
  remove: (id: number) => Promise<void>
  /** Sends a file again, or has the server process it again when it has its bytes. */
  retry: (id: number) => Promise<void>
  /** Forgets the entries that are done for good or ill; the items stay in the memory. */
  clear: (status: 'completed' | 'error') => void
  /** Follows what the server says about files that it processes. */
  handleEvent: (event: ClientEvent) => void
  /** Asks about files of which nothing was heard for a while; called every few seconds. */
  checkSilent: () => Promise<void>
  /** Stops everything and forgets every entry. */
  reset: () => void
}

/** An item of which nothing was heard for so long is asked for. */
const SILENCE_MS = 6_000
const MAX_CHECKS_AT_ONCE = 4
/** Before another try when the server cannot be reached or has no time. */
const RETRY_DELAYS_MS = [1_000, 4_000]
const LONGEST_WAIT_MS = 60_000

interface UploadTools {
  /** Looks which files the memory has before they are sent; all are sent when left out. */
  knownFiles?: KnownFiles
  /** Keeps where files lie that are sent in parts. */
  keptHandles?: Pick<KeptHandles, 'keep' | 'forget'>
  api: {
    uploadFile: (file: File, choices: UploadChoices, options: PartsOptions) => Promise<UploadedItem>
    discardPartialUpload: (id: string) => Promise<void>
    fetchUploadedItem: (id: string) => Promise<MediaItemJson>
    processAgain: (id: string) => Promise<void>
  }
  now: () => number
  wait: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

/** Makes the queue of one person. */
export function createUploadQueue({ api, knownFiles, keptHandles, now, wait }: UploadTools): UploadQueue {
  const entries = createStore<readonly QueueEntry[]>([])
  const run = createStore<UploadRun | null>(null)
  const keepsPlace = createStore(false)
  /** Time of the last update for each entry being processed. */
  const heardAt = new Map<number, number>()
  let stopping = new AbortController()
  /** The only entries that the run sends; null when it sends all. */
  let onlyIds: Set<number> | null = null
  let lastId = 0

  const change = (id: number, changes: Partial<QueueEntry>) => {
    if (changes.status === 'processing') heardAt.set(id, now())
    else if (changes.status !== undefined) heardAt.delete(id)
    entries.set(entries.get().map((entry) => (entry.id === id ? { ...entry, ...changes } : entry)))
  }
  const changeRun = (changes: (current: UploadRun) => Partial<UploadRun>) => {
    const current = run.get()
    if (current !== null) run.set({ ...current, ...changes(current) })
  }
  /** Progress to keep: that of a partial upload, else 0. */
  const resumedProgress = (entry: QueueEntry) => ({
    progress: find(entry.id)?.partialId ? (find(entry.id)?.progress ?? 0) : 0,
  })
  const find = (id: number) => entries.get().find((entry) => entry.id === id)
  const findProcessing = (mediaId: string) =>
    entries.get().filter((entry) => entry.mediaId === mediaId && entry.status === 'processing')

  const lookup = createKnownLookup({
    knownFiles,
    next: () => entries.get().filter(({ status, isUnchecked }) => status === 'pending' && isUnchecked),
    async settle(id, mediaId) {
      const item = mediaId === null ? null : await api.fetchUploadedItem(mediaId)
      // what could not be processed is sent again, which has it tried again
      const isThere = item !== null && item.processing_status !== 'failed' && find(id)?.status === 'pending'
      change(id, { isUnchecked: false, ...(isThere ? { ...changesFromItem(item), isDuplicate: true } : {}) })
    },
  })

  async function send(entry: QueueEntry, signal: AbortSignal): Promise<UploadedItem> {
    for (let attempt = 0; ; attempt += 1) {
      let sentBefore = 0
      const onProgress = (sentPart: number, total: number) => {
        if (signal.aborted) return
        const sentBytes = Math.round((sentPart / Math.max(total, 1)) * entry.file.size)
        changeRun((current) => ({ sentBytes: current.sentBytes + sentBytes - sentBefore }))
        sentBefore = sentBytes
        change(entry.id, { progress: Math.floor((sentPart / Math.max(total, 1)) * 100) })
      }
      try {
        const onBegun = (partialId: string, offsetBytes: number) => {
          sentBefore = offsetBytes
          change(entry.id, { partialId })
          void keptHandles?.keep(partialId, entry.file)
        }
        const onWaiting = (isWaiting: boolean) => {
          if (!signal.aborted && find(entry.id)?.isWaiting !== isWaiting) change(entry.id, { isWaiting })
        }
        const options = { onProgress, onBegun, onWaiting, signal }
        return await api.uploadFile(entry.file, { keepPlace: keepsPlace.get() }, options)
      } catch (error) {
        const delayMs = RETRY_DELAYS_MS[attempt]
        if (delayMs === undefined || !isWorthAnotherTry(error)) throw error
        changeRun((current) => ({ sentBytes: current.sentBytes - sentBefore }))
        change(entry.id, resumedProgress(entry))
        await wait(Math.min(Math.max(delayMs, (error.retryAfterSeconds ?? 0) * 1000), LONGEST_WAIT_MS), signal)
        signal.throwIfAborted()
      }
    }
  }

  /** Sends one file; false when it makes no sense to go on with the next. */
  async function uploadOne(entry: QueueEntry, signal: AbortSignal): Promise<boolean> {
    change(entry.id, { status: 'uploading', ...resumedProgress(entry), error: null })
    try {
      const { item, isDuplicate } = await send(entry, signal)
      const partialId = find(entry.id)?.partialId
      if (partialId) void keptHandles?.forget(partialId)
      change(entry.id, { ...changesFromItem(item), isDuplicate, partialId: null, isWaiting: false })
      return !signal.aborted
    } catch (error) {
      if (signal.aborted) {
        change(entry.id, { status: 'pending', ...resumedProgress(entry), isWaiting: false })
        return false
      }
      change(entry.id, { status: 'error', error, isWaiting: false })
      changeRun((current) => ({ failedFiles: current.failedFiles + 1 }))
      return !concernsAll(error)
    } finally {
      // A file that was stopped waits again.
      if (find(entry.id)?.status !== 'pending') {
        changeRun((current) => ({
          finishedFiles: current.finishedFiles + 1,
          finishedBytes: current.finishedBytes + entry.file.size,
        }))
      }
    }
  }

  /** Sends these entries, or all; a run that is under way takes them in. */
  async function upload(ids: readonly number[] | null): Promise<void> {
    if (run.get() !== null) {
      if (ids === null) onlyIds = null
      else for (const id of ids) onlyIds?.add(id)
      return
    }
    onlyIds = ids === null ? null : new Set(ids)
    const mine = new AbortController()
    stopping = mine
    run.set({ startedAtMs: now(), finishedFiles: 0, failedFiles: 0, finishedBytes: 0, sentBytes: 0 })
    let goesOn = true
    while (goesOn && !mine.signal.aborted) {
      const next = entries.get().find(({ id, status }) => status === 'pending' && (onlyIds?.has(id) ?? true))
      if (next?.isUnchecked && knownFiles !== undefined) await untilChecked(next.id, mine.signal)
      else goesOn = next !== undefined && (await uploadOne(next, mine.signal))
    }
    if (stopping === mine) run.set(null)
  }

  /** Resolves when it is known whether the memory has a file, when it is taken away, and when sending is stopped. */
  function untilChecked(id: number, signal: AbortSignal): Promise<void> {
    lookup.look()
    return new Promise((resolve) => {
      const finish = () => {
        if (find(id)?.isUnchecked && !signal.aborted) return
        unsubscribe()
        signal.removeEventListener('abort', finish)
        resolve()
      }
      const unsubscribe = entries.subscribe(finish)
      signal.addEventListener('abort', finish)
    })
  }

  async function refresh(id: number, mediaId: string): Promise<void> {
    try {
      const item = await api.fetchUploadedItem(mediaId)
      if (find(id)?.status === 'processing') change(id, changesFromItem(item))
    } catch (error) {
      // What was deleted meanwhile stays away; everything else is asked for again later.
      const isGone = error instanceof ApiError && error.status === 404
      if (find(id)?.status === 'processing') change(id, isGone ? { status: 'error', error } : { status: 'processing' })
    }
  }

  const add = (files: readonly File[]): QueueEntry[] => {
    const added = files.map((file) => {
      lastId += 1
      return newEntry(lastId, file)
    })
    entries.set([...entries.get(), ...added])
    lookup.look()
    return added
  }

  return {
    entries,
    run,
    keepsPlace,
    add: (files) => void add(files),
    goOn: (file) => upload(add([file]).map(({ id }) => id)),
    uploadAll: () => upload(null),
    stop: () => stopping.abort(),
    async remove(id) {
      const entry = find(id)
      if (entry?.status !== 'pending') return
      entries.set(entries.get().filter((one) => one !== entry))
      // one that cannot be discarded now stays among the unfinished, where it can be tried again
      if (entry.partialId !== null) await api.discardPartialUpload(entry.partialId).catch(console.error)
    },
    async retry(id) {
      const entry = find(id)
      if (entry?.status !== 'error') return
      if (entry.mediaId === null) {
        change(id, { status: 'pending', ...resumedProgress(entry), error: null })
        return upload([id])
      }
      change(id, { status: 'processing', steps: [], error: null })
      try {
        await api.processAgain(entry.mediaId)
      } catch (error) {
        change(id, { status: 'error', error })
      }
    },
    clear: (status) => entries.set(entries.get().filter((entry) => entry.status !== status)),

    handleEvent(event) {
      if (event.type === 'events.resumed') {
        for (const id of heardAt.keys()) heardAt.set(id, Number.NEGATIVE_INFINITY)
      } else if (event.type === 'media.progress') {
        for (const { id } of findProcessing(event.id))
          change(id, { status: 'processing', steps: event.steps, queuePosition: null })
      } else if (event.type === 'media.failed') {
        for (const { id } of findProcessing(event.id)) {
          change(id, { status: 'error', error: new ProcessingFailure(event.error, event.error_told) })
        }
      } else if (event.type === 'media.done') {
        for (const { id } of findProcessing(event.id)) void refresh(id, event.id)
      } else if (event.type === 'media.updated' && event.deleted) {
        entries.set(entries.get().filter(({ mediaId }) => mediaId === null || !event.ids.includes(mediaId)))
      }
    },

    async checkSilent() {
      const silentSince = now() - SILENCE_MS
      const silent = entries
        .get()
        .filter(({ id, status }) => status === 'processing' && (heardAt.get(id) ?? 0) <= silentSince)
        .sort((one, other) => (heardAt.get(one.id) ?? 0) - (heardAt.get(other.id) ?? 0))
        .slice(0, MAX_CHECKS_AT_ONCE)
      await Promise.all(silent.map(({ id, mediaId }) => (mediaId === null ? undefined : refresh(id, mediaId))))
    },

    reset() {
      stopping.abort()
      stopping = new AbortController()
      heardAt.clear()
      entries.set([])
      run.set(null)
      keepsPlace.set(false)
    },
  }
}

function isWorthAnotherTry(error: unknown): error is ApiError {
  return error instanceof ApiError && [0, 429, 503].includes(error.status)
}

/** True when the next file would fare no better: no connection, nobody signed in, no room. */
function concernsAll(error: unknown): boolean {
  return error instanceof ApiError && [0, 401, 429, 503, 507].includes(error.status)
}
