import { createReadStream, openAsBlob } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { ApiError, foreignError, type Mira } from '@mira/client'
import type { MediaItemJson } from '@mira/shared'
import type { ImportFileSource } from '@mira/shared/constants/media'
import { Upload } from 'tus-js-client'
import type { Account } from '../account.ts'
import type { LocalFile } from './files.ts'

/** Maximum size of a file sent in one request. Larger files are sent in parts, so that a lost connection costs little. */
const WHOLE_MAX_BYTES = 16 * 1024 * 1024
const PART_BYTES = 64 * 1024 * 1024
const RETRY_DELAYS_MS = [500, 2_000, 8_000, 30_000]

/** Result of sending a file. */
interface SentFile {
  /** Id of the item. */
  id: string
  /** True when the server already had the same content. */
  isDuplicate: boolean
}

/** Inputs of an upload. */
export interface Sending {
  mira: Mira
  account: Account
  keepPlace: boolean
  onProgress: (sentBytes: number) => void
}

/**
 * Uploads a file, with retries. The upload of a large file resumes where it stopped, even in a later call.
 * @throws ApiError when the server refuses it, or all retries fail.
 */
export function sendFile(file: LocalFile, sha256: string, sending: Sending): Promise<SentFile> {
  return withRetries(() =>
    file.sizeBytes > WHOLE_MAX_BYTES ? sendItemInParts(file, sha256, sending) : sendWhole(file, sending),
  )
}

/** True for a failure that may go away with time. A full disk doesn't count as such. */
export function isTemporary(error: unknown): boolean {
  return error instanceof ApiError && error.isTemporary && error.status !== 507
}

/** Makes a call, and retries it after temporary failures. @throws the error of the last attempt. */
export async function withRetries<Result>(call: () => Promise<Result>): Promise<Result> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await call()
    } catch (error) {
      const delayMs = RETRY_DELAYS_MS[attempt]
      if (!isTemporary(error) || delayMs === undefined) throw error
      await wait(Math.max(delayMs, ((error as ApiError).retryAfterSeconds ?? 0) * 1000))
    }
  }
}

async function sendWhole({ path, sizeBytes }: LocalFile, { mira, keepPlace, onProgress }: Sending): Promise<SentFile> {
  const form = new FormData()
  form.set('wait', '0')
  form.set('keep_place', String(keepPlace))
  form.set('file', await openAsBlob(path), basename(path))
  const response = await mira.callForResponse('POST /media/upload', { form })
  onProgress(sizeBytes)
  const { id } = (await response.json()) as MediaItemJson
  return { id, isDuplicate: response.status === 200 }
}

async function sendItemInParts(file: LocalFile, sha256: string, sending: Sending): Promise<SentFile> {
  const state = await sendInParts(file, sha256, { keep_place: String(sending.keepPlace) }, sending)
  if (!state.media_item) throw bytesMissing()
  return { id: state.media_item.id, isDuplicate: state.is_duplicate }
}

/** Uploads another program's export in parts and returns the id of the import. */
export async function sendImportInParts(
  file: LocalFile,
  sha256: string,
  { source, preview }: { source: ImportFileSource; preview: boolean },
  sending: Pick<Sending, 'mira' | 'account' | 'onProgress'>,
): Promise<string> {
  const options = { import_source: source, import_preview: String(preview) }
  const { import_id: id } = await withRetries(() => sendInParts(file, sha256, options, sending))
  if (id === null) throw bytesMissing()
  return id
}

const bytesMissing = () => new ApiError(0, { code: 'network', detail: 'The server reports missing bytes.' })

async function sendInParts(
  file: LocalFile,
  sha256: string,
  options: Record<string, string>,
  sending: Pick<Sending, 'mira' | 'account' | 'onProgress'>,
) {
  const { mira } = sending
  const { uploads } = await mira.call('GET /media/uploads')
  const unfinished = uploads.find(
    ({ fingerprint, size_bytes, import_source }) =>
      fingerprint === sha256 && size_bytes === file.sizeBytes && import_source === (options.import_source ?? null),
  )
  const id = await sendRest(file, { ...options, fingerprint: sha256 }, unfinished?.id ?? null, sending)
  return mira.call('GET /media/uploads/:id', { params: { id } })
}

/** Sends the bytes of a file that the server doesn't have yet. @returns the id of the upload. */
function sendRest(
  file: LocalFile,
  metadata: Record<string, string>,
  unfinishedId: string | null,
  sending: Pick<Sending, 'account' | 'onProgress'>,
): Promise<string> {
  const { path, sizeBytes } = file
  const { account, onProgress } = sending
  const endpoint = `${account.url}/api/media/uploads`
  return new Promise((resolve, reject) => {
    const upload = new Upload(createReadStream(path), {
      // With an endpoint, tus would send the whole file again after any error about an existing upload.
      endpoint: unfinishedId === null ? endpoint : null,
      uploadUrl: unfinishedId && `${endpoint}/${unfinishedId}`,
      uploadSize: sizeBytes,
      metadata: { ...metadata, filename: basename(path) },
      headers: { Authorization: `Bearer ${account.token}` },
      chunkSize: PART_BYTES,
      // not needed: the caller retries, and the server lists unfinished uploads
      retryDelays: null,
      storeFingerprintForResuming: false,
      onProgress,
      onSuccess: () => resolve(upload.url?.split('/').at(-1) ?? ''),
      onError: (error) => {
        const response = 'originalResponse' in error ? error.originalResponse : null
        const isHead = 'originalRequest' in error && error.originalRequest.getMethod() === 'HEAD'
        // The unfinished upload has just expired.
        if (isHead && response?.getStatus() === 404) return resolve(sendRest(file, metadata, null, sending))
        const status = response?.getStatus() ?? 0
        // Earlier servers say 409 for an upload that another request holds.
        const isHeld = isHead && status === 409
        reject(apiError(isHeld ? 423 : status, response?.getBody() ?? '', error))
      },
    })
    upload.start()
  })
}

function apiError(status: number, body: string, cause: Error): ApiError {
  try {
    return new ApiError(status, JSON.parse(body), null, { cause })
  } catch {
    const unreachable = { code: 'network', detail: 'The server can’t be reached.' }
    return new ApiError(status, status === 0 ? unreachable : foreignError(status), null, { cause })
  }
}
