import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LocalModel } from '@mira/shared'
import { ConflictError, NotFoundError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { say } from '../../sentences.ts'
import { approximateBytesOf, catalogue, findModel, type LocalModelInfo } from './catalogue.ts'
import { createHub, HubError, type HubOptions } from './hub.ts'
import { createModelPins, type DownloadProgress, downloadModel } from './model-download.ts'
import {
  folderOf,
  isLockHeld,
  ModelFileError,
  type ModelLock,
  type ModelPresence,
  readManifest,
  readPresence,
  removeFile,
  removeModel,
  takeLock,
  verifyModel,
} from './model-files.ts'

export interface LocalModelsOptions {
  /** False to ignore installed models, too. */
  isEnabled: boolean
  /** MODELS_DIR. */
  directory: string
  /** Folder that records the first download of each model. */
  pinsDirectory: string
  hub: HubOptions
  log: Log
  /** Pause after a failed download or a removal before the next automatic download. */
  retryDelayMs?: number
  /** Interval of checks for files that someone else added to the disk. */
  refreshIntervalMs?: number
}

/** Current state of a model. */
interface ModelState {
  state: LocalModel['state']
  bytes: number
  /** As far as known. */
  totalBytes: number
  /** Reason for the failed download, worded as the end of a sentence. */
  error: string | null
}

/** State, download and removal of the models on this machine. */
export interface LocalModelFiles {
  isEnabled: boolean
  directory: string
  /** Last known state; refreshes in the background when stale. */
  stateOf(model: LocalModelInfo): ModelState
  /** Refreshes the state of all models. */
  refresh(): Promise<void>
  /** Starts a download in the background, unless one failed recently. */
  requestModel(model: LocalModelInfo): void
  /** Starts a download. @throws NotFoundError; ConflictError when local models are switched off. */
  download(id: string): LocalModelInfo
  /** Deletes a model's files. @throws NotFoundError; ConflictError during its download. */
  remove(id: string): Promise<void>
  /** Verifies the model's files, once. @throws ModelFileError, after which the model is downloaded again. */
  ensureVerified(model: LocalModelInfo): Promise<void>
  /** Subscribes to changes of a model: installed, failed, removed, download progress. */
  onChange(listener: (model: LocalModelInfo) => void): void
  /** Stops downloads; the next start resumes them. */
  close(): Promise<void>
}

interface ModelRecord {
  presence: ModelPresence
  /** Downloaded bytes according to the manifest. */
  knownBytes: number | null
  progress: DownloadProgress | null
  error: string | null
  /** True while another server is downloading the model. */
  isDownloadingElsewhere: boolean
  retryAt: number
  verification: Promise<void> | null
}

const RETRY_DELAY_MS = 10 * 60_000
const REFRESH_INTERVAL_MS = 10_000
const LOCK_RETRY_MS = 1_000

/** Manages models under MODELS_DIR, which several servers may share. */
export async function createLocalModelFiles(options: LocalModelsOptions): Promise<LocalModelFiles> {
  const { isEnabled, directory, log, retryDelayMs = RETRY_DELAY_MS, refreshIntervalMs = REFRESH_INTERVAL_MS } = options
  const hub = createHub(options.hub)
  const pins = createModelPins(options.pinsDirectory)
  const stopping = new AbortController()
  const listeners = new Set<(model: LocalModelInfo) => void>()
  const downloads = new Map<string, Promise<void>>()
  const recordById = new Map<string, ModelRecord>()
  const reportedFailures = new Set<string>()
  let refreshedAt = Number.NEGATIVE_INFINITY

  const recordOf = ({ id }: LocalModelInfo): ModelRecord => {
    const presence = { isComplete: false, bytes: 0 }
    const state = recordById.get(id) ?? {
      presence,
      knownBytes: null,
      progress: null,
      error: null,
      isDownloadingElsewhere: false,
      retryAt: 0,
      verification: null,
    }
    recordById.set(id, state)
    return state
  }
  const lockPathOf = (model: LocalModelInfo) => join(folderOf(directory, model), '.lock')
  const notifyOfChange = (model: LocalModelInfo) => {
    for (const listener of listeners) listener(model)
  }

  const refreshModel = async (model: LocalModelInfo) => {
    const state = recordOf(model)
    const wasComplete = state.presence.isComplete
    state.presence = await readPresence(directory, model)
    state.isDownloadingElsewhere = !downloads.has(model.id) && (await isLockHeld(lockPathOf(model)))
    if (state.presence.isComplete && state.knownBytes === null) {
      state.knownBytes = (await readManifest(directory, model)) === null ? null : state.presence.bytes
    }
    if (state.presence.isComplete === wasComplete) return
    state.verification = null
    if (state.presence.isComplete) state.error = null
    notifyOfChange(model)
  }
  const refresh = async () => {
    refreshedAt = performance.now()
    for (const model of catalogue) await refreshModel(model)
  }
  const refreshIfStale = () => {
    if (performance.now() - refreshedAt < refreshIntervalMs || stopping.signal.aborted) return
    refresh().catch((error: unknown) => log.debug({ err: error }, "the models' folder could not be read"))
  }

  /** Takes the model's lock, waiting while another server has it; null when that server has completed the download meanwhile. */
  const waitForLock = async (model: LocalModelInfo): Promise<ModelLock | null> => {
    for (;;) {
      const lock = await takeLock(lockPathOf(model)).catch((error: unknown) => {
        throw new HubError('MODELS_DIR isn’t writable', { cause: error })
      })
      if (lock !== null) return lock
      await sleep(LOCK_RETRY_MS, undefined, { signal: stopping.signal })
      const state = recordOf(model)
      state.presence = await readPresence(directory, model)
      state.progress = { doneBytes: state.presence.bytes, totalBytes: approximateBytesOf(model) }
      notifyOfChange(model)
      if (state.presence.isComplete) return null
    }
  }

  const fetchModel = async (model: LocalModelInfo) => {
    const state = recordOf(model)
    const lock = await waitForLock(model)
    try {
      const signal = lock === null ? stopping.signal : AbortSignal.any([stopping.signal, lock.lost])
      if (lock !== null) {
        const onProgress = (progress: DownloadProgress) => {
          state.progress = progress
          notifyOfChange(model)
        }
        await downloadModel({ directory, model, hub, pins, signal, onProgress })
      }
      state.verification = null
      state.error = null
    } finally {
      await lock?.release()
    }
  }

  const startDownload = (model: LocalModelInfo) => {
    if (downloads.has(model.id) || stopping.signal.aborted) return
    const state = recordOf(model)
    state.error = null
    state.progress = { doneBytes: state.presence.bytes, totalBytes: approximateBytesOf(model) }
    downloads.set(model.id, download(model))
    notifyOfChange(model)
  }

  /** Downloads a model and records the outcome; never rejects. */
  const download = async (model: LocalModelInfo) => {
    const state = recordOf(model)
    try {
      await fetchModel(model)
      log.info({ model: model.id }, 'a local model was downloaded')
    } catch (error) {
      if (!stopping.signal.aborted) {
        state.error = error instanceof HubError ? error.message : 'something unexpected went wrong'
        state.retryAt = performance.now() + retryDelayMs
        // Warn once, not every few minutes, on a machine without a network.
        const level = reportedFailures.has(`${model.id} ${state.error}`) ? 'debug' : 'warn'
        reportedFailures.add(`${model.id} ${state.error}`)
        log[level]({ err: error, model: model.id }, 'a local model could not be downloaded')
      }
    }
    // Refresh the state before the download counts as ended: otherwise the new model would be reported as absent in between.
    await refreshModel(model).catch((error: unknown) => log.debug({ err: error }, "a model's files could not be read"))
    downloads.delete(model.id)
    state.progress = null
    notifyOfChange(model)
  }

  const requireModel = (id: string): LocalModelInfo => {
    const model = findModel(id)
    if (model === null) throw new NotFoundError('This model doesn’t exist.')
    return model
  }

  /** Verifies a model's files; damaged ones are removed and downloaded again. */
  const verify = async (model: LocalModelInfo) => {
    try {
      await verifyModel(directory, model, stopping.signal)
    } catch (error) {
      const state = recordOf(model)
      state.verification = null
      if (error instanceof ModelFileError) {
        await removeFile(directory, model, error.fileName)
        state.error = error.message
        log.warn({ model: model.id, reason: error.message }, 'a file of a local model is damaged and has been removed')
      }
      await refreshModel(model)
      notifyOfChange(model)
      throw error
    }
  }

  if (isEnabled) await refresh()

  return {
    isEnabled,
    directory,
    refresh,
    stateOf(model) {
      if (isEnabled) refreshIfStale()
      const { presence, knownBytes, progress, error, isDownloadingElsewhere } = recordOf(model)
      const totalBytes = progress?.totalBytes ?? knownBytes ?? Math.max(presence.bytes, approximateBytesOf(model))
      const shared = { bytes: progress?.doneBytes ?? presence.bytes, totalBytes, error }
      if (progress !== null || isDownloadingElsewhere) return { ...shared, state: 'downloading' }
      if (presence.isComplete) return { ...shared, state: 'ready', totalBytes: presence.bytes }
      return { ...shared, state: error === null ? 'absent' : 'failed' }
    },
    requestModel(model) {
      const state = recordOf(model)
      if (isEnabled && !state.presence.isComplete && performance.now() >= state.retryAt) startDownload(model)
    },
    download(id) {
      const model = requireModel(id)
      if (!isEnabled) {
        throw new ConflictError(say('local_models_off', {}), { code: 'local_models_off' })
      }
      if (!recordOf(model).presence.isComplete) startDownload(model)
      return model
    },
    async remove(id) {
      const model = requireModel(id)
      if (downloads.has(id) || recordOf(model).isDownloadingElsewhere) {
        throw new ConflictError('This model is being downloaded.', { code: 'model_downloading' })
      }
      await removeModel(directory, model)
      const state = recordOf(model)
      state.error = null
      state.knownBytes = null
      // Prevents an automatic download for a while.
      state.retryAt = performance.now() + retryDelayMs
      await refreshModel(model)
    },
    ensureVerified(model) {
      const state = recordOf(model)
      state.verification ??= verify(model)
      return state.verification
    },
    onChange: (listener) => {
      listeners.add(listener)
    },
    async close() {
      stopping.abort(new Error('The server stops.'))
      await Promise.all(downloads.values())
    },
  }
}
