import type { ImportFileSource, ImportJson } from '@mira/shared'
import { UPLOAD_MAX_BYTES } from '@mira/shared/constants/limits'
import { infiniteQueryOptions } from '@tanstack/react-query'
import { call, networkError } from '../../../lib/api/client.ts'
import { type SendingOptions, sendWithProgress, uploadInParts } from '../../../lib/api/uploads.ts'

/** Uploads a file for a preview without importing it yet. A large file is sent in parts, and its upload can be resumed. */
export async function previewImport(
  source: ImportFileSource,
  file: File,
  options: SendingOptions,
): Promise<ImportJson> {
  if (file.size > UPLOAD_MAX_BYTES) {
    const { import_id: id } = await uploadInParts(file, { import_source: source, import_preview: 'true' }, options)
    if (id === null) throw networkError(new Error('The server says that bytes are missing'))
    return call('GET /imports/:id', { params: { id } })
  }
  const form = new FormData()
  form.set('source', source)
  form.set('preview', 'true')
  form.set('file', file)
  return (await sendWithProgress<ImportJson>('/imports', form, options)).body
}

/** Prefix of all query keys about imports. */
export const importsKey = ['imports']

/** The user's imports, page by page. */
export const importsQuery = infiniteQueryOptions({
  queryKey: [...importsKey, 'list'],
  queryFn: ({ pageParam, signal }) => call('GET /imports', { signal, query: { limit: 10, cursor: pageParam } }),
  initialPageParam: null as string | null,
  getNextPageParam: ({ next_cursor }) => next_cursor,
})
