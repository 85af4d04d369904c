import type { ImportFileSource, ImportJson, ImportServerJson, ImportsResponseJson } from '@mira/shared'
import { UPLOAD_MAX_BYTES } from '@mira/shared/constants/limits'
import { call, networkError } from './client.ts'
import { uploadInParts } from './partial-uploads.ts'
import { type SendingOptions, sendWithProgress } from './send-with-progress.ts'

const PAGE_SIZE = 10
/** A small import is gone after that; of others it is told how far they are. */
const UNDO_WAIT_SECONDS = 1

/** A page of the person's imports, newest first. */
export function fetchImports(cursor: string | null, signal?: AbortSignal): Promise<ImportsResponseJson> {
  return call('GET /imports', { signal, query: { limit: PAGE_SIZE, cursor } })
}

/** Hands a file over to be counted; nothing of it is brought yet. A large one goes in parts, and on where it stopped. */
export async function countImport(source: ImportFileSource, file: File, options: SendingOptions): Promise<ImportJson> {
  if (file.size > UPLOAD_MAX_BYTES) {
    const { import_id: id } = await uploadInParts(file, { import_source: source, import_preview: 'true' }, options)
    if (id === null) throw networkError(new Error('The server says that bytes are missing'))
    return call('GET /imports/:id', { params: { id } })
  }
  const form = new FormData()
  form.set('source', source)
  form.set('preview', 'true')
  form.set('file', file)
  return (await sendWithProgress<ImportJson>('/imports', form, options)).answer
}

/** Has counted what a server keeps; nothing of it is brought yet. */
export function countServer(server: Omit<ImportServerJson, 'preview'>): Promise<ImportJson> {
  return call('POST /imports', { json: { ...server, preview: true } })
}

/** Brings what was counted. */
export function startImport(id: string): Promise<ImportJson> {
  return call('POST /imports/:id/start', { params: { id } })
}

/** Counts a file that was refused as that of another program; it is there already. */
export function countImportAs(id: string, source: ImportFileSource): Promise<ImportJson> {
  return call('POST /imports/:id/source', { params: { id }, json: { source } })
}

/** Cancels an import that waits or runs; has one undone that is over, which events tell of until it is not listed any more. */
export async function removeImport(id: string): Promise<void> {
  await call('DELETE /imports/:id', { params: { id }, query: { wait: UNDO_WAIT_SECONDS } })
}
