import type { MediaItemJson } from '@mira/shared'
import { ApiError } from '../../../lib/api/client.ts'
import type { PartsOptions, UploadChoices, UploadedItem } from '../../../lib/api/uploads.ts'
import type { ClientEvent } from '../../../lib/loading/event-stream.ts'
import { createStore, type Store } from '../../../lib/loading/store.ts'
import type { KeptHandles } from './kept-handles.ts'
import {
  changesFromItem,
  createUploadedLookup,
  type KnownFiles,
  newEntry,
  ProcessingFailure,
  type QueueEntry,
} from './queue-entry.ts'

/** Sending of files one after the other, from "Upload All" until none is pending. */
export interface UploadRun {
  startedAtMs: number
  /** Number of accepted or failed files. */
  finishedFiles: number
  failedFiles: number
  finishedBytes: number
  /** Bytes sent, over all files of this run. */
  sentBytes: number
}

/** Queue of the files to upload, with their status. */
interface UploadQueue {
  entries: Store<readonly QueueEntry[]>
  /** Null while nothing is being sent. */
  run: Store<UploadRun | null>
  /** Keep the place of capture in the metadata of files sent from now on. */
  keepsPlace: Store<boolean>
  add: (files: readonly File[]) => void
  /** Sends pending files, including those added meanwhile, one at a time in order. */
  uploadAll: () => Promise<void>
  /** Resumes a partially uploaded file, without sending other pending ones. */
  resume: (file: File) => Promise<void>
  /** Stops sending; the current file becomes pending again. */
  stop: () => void
  /** Removes a pending entry and its partial upload; ignores other entries. Resolves once the server has discarded the upload. */
  remove: (id: number) => Promise<void>
  /** Sends a file again, or reprocesses it if the server has it already. */
  retry: (id: number) => Promise<void>
  /** Removes completed or failed entries from the queue; their items stay in the memory. */
  clear: (status: 'completed' | 'error') => void
  /** Applies the server's events about files being processed. */
  handleEvent: (event: ClientEvent) => void
  /** Fetches the items being processed that had no recent events; called every few seconds. */
  refreshSilentItems: () => Promise<void>
  /** Stops everything and removes all entries. */
  reset: () => void
}

/** Time without an event after which an item is fetched. */
const SILENCE_MS = 6_000
const MAX_CHECKS_AT_ONCE = 4
/** Delays before retries when the server can't be reached or is overloaded. */
const RETRY_DELAYS_MS = [1_000, 4_000]
const MAX_WAIT_MS = 60_000

interface UploadTools {
  /** Lookup of existing files before sending; without it, all files are sent. */
  knownFiles?: KnownFiles
  /** Store of file handles for uploads in parts. */
  keptHandles?: Pick<KeptHandles, 'keep' | 'forget'>
  api: {
    prepareUploads: (files: readonly File[]) => void
    uploadFile: (file: File, choices: UploadChoices, options: PartsOptions) => Promise<UploadedItem>
    discardPartialUpload: (id: string) => Promise<void>
    fetchUploadedItem: (id: string) => Promise<MediaItemJson>
    processAgain: (id: string) => Promise<void>
  }
  now: () => number
  wait: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

/** Creates the queue of one user. */
export function createUploadQueue({ api, knownFiles, keptHandles, now, wait }: UploadTools): UploadQueue {
  const entries = createStore<readonly QueueEntry[]>([])
  const run = createStore<UploadRun | null>(null)
  const keepsPlace = createStore(false)
  /** Time of the last update for each entry being processed. */
  const updatedAt = new Map<number, number>()
  let currentController = new AbortController()
  /** The only entries that the run sends; null when it sends all. */
  let onlyIds: Set<number> | null = null
  let lastId = 0

  const change = (id: number, changes: Partial<QueueEntry>) => {
    if (changes.status === 'processing') updatedAt.set(id, now())
    else if (changes.status !== undefined) updatedAt.delete(id)
    entries.set(entries.get().map((entry) => (entry.id === id ? { ...entry, ...changes } : entry)))
  }
  const changeRun = (changes: (current: UploadRun) => Partial<UploadRun>) => {
    const current = run.get()
    if (current !== null) run.set({ ...current, ...changes(current) })
  }
  /** Progress to keep: that of a partial upload, or else 0. */
  const resumedProgress = (entry: QueueEntry) => ({
    progress: find(entry.id)?.partialId ? (find(entry.id)?.progress ?? 0) : 0,
  })
  const find = (id: number) => entries.get().find((entry) => entry.id === id)
  const findProcessing = (mediaId: string) =>
    entries.get().filter((entry) => entry.mediaId === mediaId && entry.status === 'processing')

  const lookup = createUploadedLookup({
    knownFiles,
    next: () => entries.get().filter(({ status, isUnchecked }) => status === 'pending' && isUnchecked),
    async settle(id, mediaId) {
      const item = mediaId === null ? null : await api.fetchUploadedItem(mediaId)
      // failed items are sent again, which reprocesses them
      const isExisting = item !== null && item.processing_status !== 'failed' && find(id)?.status === 'pending'
      change(id, { isUnchecked: false, ...(isExisting ? { ...changesFromItem(item), isDuplicate: true } : {}) })
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
        const onStarted = (partialId: string, offsetBytes: number) => {
          sentBefore = offsetBytes
          change(entry.id, { partialId })
          void keptHandles?.keep(partialId, entry.file)
        }
        const onWaiting = (isWaiting: boolean) => {
          if (!signal.aborted && find(entry.id)?.isWaiting !== isWaiting) change(entry.id, { isWaiting })
        }
        const options = { onProgress, onStarted, onWaiting, signal }
        return await api.uploadFile(entry.file, { keepPlace: keepsPlace.get() }, options)
      } catch (error) {
        const delayMs = RETRY_DELAYS_MS[attempt]
        if (delayMs === undefined || !canRetry(error)) throw error
        changeRun((current) => ({ sentBytes: current.sentBytes - sentBefore }))
        change(entry.id, resumedProgress(entry))
        await wait(Math.min(Math.max(delayMs, (error.retryAfterSeconds ?? 0) * 1000), MAX_WAIT_MS), signal)
        signal.throwIfAborted()
      }
    }
  }

  /** Sends one file; resolves to false when the files after it shouldn't be sent. */
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
      return !affectsAllFiles(error)
    } finally {
      // A stopped file is pending again.
      if (find(entry.id)?.status !== 'pending') {
        changeRun((current) => ({
          finishedFiles: current.finishedFiles + 1,
          finishedBytes: current.finishedBytes + entry.file.size,
        }))
      }
    }
  }

  /** Sends the given entries, or all of them if null; adds them to the current run, if any. */
  async function upload(ids: readonly number[] | null): Promise<void> {
    if (run.get() !== null) {
      if (ids === null) onlyIds = null
      else for (const id of ids) onlyIds?.add(id)
      return
    }
    onlyIds = ids === null ? null : new Set(ids)
    const controller = new AbortController()
    currentController = controller
    run.set({ startedAtMs: now(), finishedFiles: 0, failedFiles: 0, finishedBytes: 0, sentBytes: 0 })
    let canContinue = true
    while (canContinue && !controller.signal.aborted) {
      const next = entries.get().find(({ id, status }) => status === 'pending' && (onlyIds?.has(id) ?? true))
      if (next?.isUnchecked && knownFiles !== undefined) await waitUntilChecked(next.id, controller.signal)
      else canContinue = next !== undefined && (await uploadOne(next, controller.signal))
    }
    if (currentController === controller) run.set(null)
  }

  /** Resolves when a file has been looked up or removed, or sending is stopped. */
  function waitUntilChecked(id: number, signal: AbortSignal): Promise<void> {
    lookup.lookUpPending()
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
      // An item that's gone has been deleted meanwhile; other errors are retried later.
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
    api.prepareUploads(files)
    lookup.lookUpPending()
    return added
  }

  return {
    entries,
    run,
    keepsPlace,
    add: (files) => void add(files),
    resume: (file) => upload(add([file]).map(({ id }) => id)),
    uploadAll: () => upload(null),
    stop: () => currentController.abort(),
    async remove(id) {
      const entry = find(id)
      if (entry?.status !== 'pending') return
      entries.set(entries.get().filter((one) => one !== entry))
      // if that fails, the upload is listed as unfinished, and the user can discard it there
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
        for (const id of updatedAt.keys()) updatedAt.set(id, Number.NEGATIVE_INFINITY)
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

    async refreshSilentItems() {
      const silentSince = now() - SILENCE_MS
      const silent = entries
        .get()
        .filter(({ id, status }) => status === 'processing' && (updatedAt.get(id) ?? 0) <= silentSince)
        .sort((one, other) => (updatedAt.get(one.id) ?? 0) - (updatedAt.get(other.id) ?? 0))
        .slice(0, MAX_CHECKS_AT_ONCE)
      await Promise.all(silent.map(({ id, mediaId }) => (mediaId === null ? undefined : refresh(id, mediaId))))
    },

    reset() {
      currentController.abort()
      currentController = new AbortController()
      updatedAt.clear()
      entries.set([])
      run.set(null)
      keepsPlace.set(false)
    },
  }
}

function canRetry(error: unknown): error is ApiError {
  return error instanceof ApiError && [0, 429, 503].includes(error.status)
}

/** True for errors that other files would get, too: no connection, signed out, server overloaded, storage full. */
function affectsAllFiles(error: unknown): boolean {
  return error instanceof ApiError && [0, 401, 429, 503, 507].includes(error.status)
}
