import { PARTIAL_UPLOAD_MAX_DAYS } from '@mira/shared/constants/limits'
import { browserStore, deleteOld } from '../../../lib/browser/browser-data.ts'

const handles = browserStore('mira.uploads', 'handles')
/** Maximum time for which the server keeps unfinished uploads. */
const KEPT_MS = PARTIAL_UPLOAD_MAX_DAYS * 24 * 3_600_000

/** Handle of a file on the user's disk; TypeScript has no types for its permissions yet. */
export interface FileHandle extends FileSystemFileHandle {
  queryPermission?: (of: { mode: 'read' }) => Promise<PermissionState>
  requestPermission?: (of: { mode: 'read' }) => Promise<PermissionState>
}

interface StoredHandle {
  handle: FileHandle
  keptAtMs: number
}

/** File handles of unfinished uploads, so that these continue after a reload without the user choosing the files again. */
export interface KeptHandles {
  /** Stores the file's handle, if the browser provides one. Never fails. */
  keep: (partialId: string, file: File) => Promise<void>
  /** Null when none is stored. Never fails. */
  find: (partialId: string) => Promise<FileHandle | null>
  forget: (partialId: string) => Promise<void>
}

/** File handles per user; people sharing a browser can't see each other's. */
export function createKeptHandles(userId: () => string | null): KeptHandles {
  const inStore = async <Result>(
    mode: IDBTransactionMode,
    request: (store: IDBObjectStore, owner: string) => IDBRequest,
  ) => {
    const owner = userId()
    if (owner === null) return undefined
    return handles
      .use<Result>(mode, (store) => request(store, owner))
      .catch((error: unknown) => {
        console.warn('Failed to access the stored file handles', error)
        return undefined
      })
  }
  return {
    async keep(partialId, file) {
      const { handle } = file as { handle?: FileHandle }
      if (handle === undefined) return
      await inStore('readwrite', (store, owner) => {
        deleteOld<StoredHandle>(store, ({ keptAtMs }) => keptAtMs < Date.now() - KEPT_MS)
        return store.put({ handle, keptAtMs: Date.now() } satisfies StoredHandle, `${owner}/${partialId}`)
      })
    },
    async find(partialId) {
      const entry = await inStore<StoredHandle | undefined>('readonly', (store, owner) =>
        store.get(`${owner}/${partialId}`),
      )
      return entry?.handle ?? null
    },
    async forget(partialId) {
      await inStore('readwrite', (store, owner) => store.delete(`${owner}/${partialId}`))
    },
  }
}

/**
 * The file; null if it may not be read. With `mayAsk`, asks the user for permission if needed, which browsers allow only on a
 * click.
 */
export async function readHandle(handle: FileHandle, { mayAsk }: { mayAsk: boolean }): Promise<File | null> {
  const permission = { mode: 'read' } as const
  const state = mayAsk ? await handle.requestPermission?.(permission) : await handle.queryPermission?.(permission)
  if (state !== undefined && state !== 'granted') return null
  return withHandle(await handle.getFile(), handle)
}

/** Opens the file picker that provides handles. @returns an empty list when it's cancelled, null when it can't be opened. */
export async function chooseFiles(): Promise<File[] | null> {
  const { showOpenFilePicker: showPicker } = window as unknown as {
    showOpenFilePicker?: (options: { multiple: boolean }) => Promise<FileHandle[]>
  }
  if (showPicker === undefined) return null
  try {
    const handles = await showPicker({ multiple: true })
    return await Promise.all(handles.map(async (handle) => withHandle(await handle.getFile(), handle)))
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return []
    console.warn('Failed to open the file picker', error)
    return null
  }
}

function withHandle(file: File, handle: FileHandle): File {
  return Object.defineProperty(file, 'handle', { value: handle })
}
