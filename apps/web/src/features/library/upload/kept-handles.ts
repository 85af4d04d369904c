import { PARTIAL_UPLOAD_MAX_DAYS } from '@mira/shared/constants/limits'
import { browserStore, throwAwayOld } from '../../../lib/browser/browser-data.ts'

const handles = browserStore('mira.uploads', 'handles')
/** So long the server keeps what is unfinished, at most. */
const KEPT_MS = PARTIAL_UPLOAD_MAX_DAYS * 24 * 3_600_000

/** A file on the person's disk that this browser may find again; permissions are not described by TypeScript yet. */
export interface FileHandle extends FileSystemFileHandle {
  queryPermission?: (of: { mode: 'read' }) => Promise<PermissionState>
  requestPermission?: (of: { mode: 'read' }) => Promise<PermissionState>
}

interface Kept {
  handle: FileHandle
  keptAtMs: number
}

/** File handles of unfinished uploads, which continue after a reload without another file dialog. */
export interface KeptHandles {
  /** Keeps where the file of an upload lies, if the browser tells that. Never fails. */
  keep: (partialId: string, file: File) => Promise<void>
  /** Never fails: null where nothing is kept. */
  find: (partialId: string) => Promise<FileHandle | null>
  forget: (partialId: string) => Promise<void>
}

/** File handles per user; people sharing a browser can't see each other's. */
export function createKeptHandles(userId: () => string | null): KeptHandles {
  const inStore = async <Result>(
    mode: IDBTransactionMode,
    ask: (store: IDBObjectStore, whose: string) => IDBRequest,
  ) => {
    const whose = userId()
    if (whose === null) return undefined
    return handles
      .use<Result>(mode, (store) => ask(store, whose))
      .catch((error: unknown) => {
        console.warn('This browser does not keep where files lie', error)
        return undefined
      })
  }
  return {
    async keep(partialId, file) {
      const { handle } = file as { handle?: FileHandle }
      if (handle === undefined) return
      await inStore('readwrite', (store, whose) => {
        throwAwayOld<Kept>(store, ({ keptAtMs }) => keptAtMs < Date.now() - KEPT_MS)
        return store.put({ handle, keptAtMs: Date.now() } satisfies Kept, `${whose}/${partialId}`)
      })
    },
    async find(partialId) {
      const entry = await inStore<Kept | undefined>('readonly', (store, whose) => store.get(`${whose}/${partialId}`))
      return entry?.handle ?? null
    },
    async forget(partialId) {
      await inStore('readwrite', (store, whose) => store.delete(`${whose}/${partialId}`))
    },
  }
}

/** The file, when it may be read; asks the person where the browser wants that, which it allows only at a click. */
export async function readHandle(handle: FileHandle, { mayAsk }: { mayAsk: boolean }): Promise<File | null> {
  const permission = { mode: 'read' } as const
  const state = mayAsk ? await handle.requestPermission?.(permission) : await handle.queryPermission?.(permission)
  if (state !== undefined && state !== 'granted') return null
  return withHandle(await handle.getFile(), handle)
}

/** Opens the browser's own chooser, whose files can be found again; null where it has none. @returns nothing when nothing was chosen. */
export async function chooseFiles(): Promise<File[] | null> {
  const { showOpenFilePicker: show } = window as unknown as {
    showOpenFilePicker?: (options: { multiple: boolean }) => Promise<FileHandle[]>
  }
  if (show === undefined) return null
  try {
    const handles = await show({ multiple: true })
    return await Promise.all(handles.map(async (handle) => withHandle(await handle.getFile(), handle)))
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return []
    console.warn('The chooser of files could not be opened', error)
    return null
  }
}

function withHandle(file: File, handle: FileHandle): File {
  return Object.defineProperty(file, 'handle', { value: handle })
}
