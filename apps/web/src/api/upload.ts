import type { MediaDetailJson, MediaItemJson } from '@mira/shared'
import { call, networkError } from './client.ts'
import { type PartsOptions, uploadInParts } from './partial-uploads.ts'
import { sendWithProgress } from './send-with-progress.ts'

/** The user's choices for an upload. */
export interface UploadChoices {
  /** Keep the location in the file's metadata. */
  keepPlace: boolean
}

/** An item that the server has taken, and whether the same bytes were there before. */
export interface UploadedItem {
  item: MediaItemJson
  isDuplicate: boolean
}

/** Larger files go in parts, so that a connection that breaks costs little. */
export const WHOLE_MAX_BYTES = 16 * 1024 * 1024

/** Hands a file over; resolves as soon as its bytes are safe, while it is still being processed. */
export async function uploadFile(
  file: File,
  { keepPlace }: UploadChoices,
  options: PartsOptions,
): Promise<UploadedItem> {
  const wishes = { generate_caption: 'true', extract_text: 'true', keep_place: String(keepPlace) }
  if (file.size > WHOLE_MAX_BYTES) {
    const { media_item: item, is_duplicate: isDuplicate } = await uploadInParts(file, wishes, options)
    if (item === null) throw networkError(new Error('The server says that bytes are missing'))
    return { item, isDuplicate }
  }
  const form = new FormData()
  for (const [name, value] of Object.entries(wishes)) form.set(name, value)
  form.set('wait', '0')
  form.set('file', file)
  const { status, answer } = await sendWithProgress<MediaItemJson>('/media/upload', form, options)
  return { item: answer, isDuplicate: status === 200 }
}

/** Ids of the items that have these hashes (SHA-256, hexadecimal), by the hash; those that nothing has are left out. */
export async function fetchKnownItems(hashes: readonly string[]): Promise<Map<string, string>> {
  const { known: items } = await call('POST /media/known', { json: { sha256: hashes } })
  return new Map(items.map(({ sha256, id }) => [sha256, id]))
}

/** An item as it is now, with all that was found in it. */
export async function fetchUploadedItem(id: string): Promise<MediaDetailJson> {
  return call('GET /media/:id', { params: { id } })
}

/** Has everything done again with an item whose processing failed. */
export async function processAgain(id: string): Promise<void> {
  await call('POST /media/:id/reprocess', { params: { id }, json: {} })
}
