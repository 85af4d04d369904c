import { path } from '@mira/client/path'
import type { MediaDetailJson, MediaItemJson, PartialUploadStateJson } from '@mira/shared'
import type { DetailedError } from 'tus-js-client'
import { pause } from '../browser/pause.ts'
import { tokenStore } from '../session/token.ts'
import { ApiError, apiUrl, call, networkError, requestHeaders, toApiError, withoutUndefined } from './client.ts'

/** Time without progress or a response after which a connection counts as dead. */
const STALL_MS = 120_000

/** Options for an upload. */
export interface SendingOptions {
  /** Called as bytes are sent, with counts for the whole body. */
  onProgress: (sentBytes: number, totalBytes: number) => void
  signal?: AbortSignal
}

/**
 * Posts form data, reports progress, and returns a successful response.
 *
 * Uses XMLHttpRequest, because `fetch` doesn't report upload progress.
 *
 * @throws ApiError for an error response, or when there's no response; a DOMException `AbortError` when `signal` aborts.
 */
export function sendWithProgress<Answer>(
  path: string,
  form: FormData,
  { onProgress, signal }: SendingOptions,
): Promise<{ status: number; body: Answer }> {
  const token = tokenStore.get()
  const request = new XMLHttpRequest()
  return new Promise((resolve, reject) => {
    let stallTimer: ReturnType<typeof setTimeout> | undefined
    const restartStallTimer = () => {
      clearTimeout(stallTimer)
      stallTimer = setTimeout(() => fail(networkError(new Error('The connection stalled'))), STALL_MS)
    }
    const finish = () => {
      clearTimeout(stallTimer)
      signal?.removeEventListener('abort', abort)
    }
    const fail = (error: unknown) => {
      finish()
      request.abort()
      reject(error)
    }
    const abort = () => fail(new DOMException('The upload was stopped', 'AbortError'))

    request.upload.onprogress = ({ loaded, total }) => {
      restartStallTimer()
      onProgress(loaded, total)
    }
    request.onerror = () => fail(networkError())
    request.onload = () => {
      finish()
      if (request.status < 200 || request.status > 299) {
        const headers = { get: (name: string) => request.getResponseHeader(name) }
        reject(toApiError({ status: request.status, headers }, request.responseText, token))
        return
      }
      try {
        resolve({ status: request.status, body: JSON.parse(request.responseText) as Answer })
      } catch (error) {
        reject(networkError(error))
      }
    }
    if (signal?.aborted) return abort()
    signal?.addEventListener('abort', abort)
    restartStallTimer()
    request.open('POST', apiUrl(path))
    for (const [name, value] of Object.entries(withoutUndefined(requestHeaders(token)))) {
      request.setRequestHeader(name, value)
    }
    request.send(form)
  })
}

/** Number of bytes hashed at each end of a file. */
const SAMPLE_BYTES = 256 * 1024

/** Fingerprint of a file without reading all of it: size, modification time, and a hash of name, beginning and end. */
export async function fingerprintOf(file: File): Promise<string> {
  const ends = [file.slice(0, SAMPLE_BYTES), file.slice(Math.max(0, file.size - SAMPLE_BYTES))]
  const parts = [new TextEncoder().encode(file.name)]
  for (const end of ends) parts.push(new Uint8Array(await end.arrayBuffer()))
  return `${file.size}-${file.lastModified}-${hashOf(parts)}`
}

/** Two 32-bit hashes (FNV-1a and another). Security doesn't depend on them, and `crypto.subtle` is missing without HTTPS. */
function hashOf(parts: Uint8Array[]): string {
  let [one, other] = [0x811c9dc5, 0x01000193]
  for (const part of parts) {
    for (const byte of part) {
      one = Math.imul(one ^ byte, 0x01000193)
      other = Math.imul(other + byte, 0x85ebca6b) ^ (other >>> 13)
    }
  }
  return [one, other].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('')
}

/** Loaded on demand: most files are sent whole. */
const loadTus = () => import('tus-js-client')

/**
 * Loads the code for uploads in parts as soon as a file will need it, since that code can't be loaded any more once the server
 * has been updated.
 */
export function preparePartUploads(): void {
  // A failure shows `MissingPartNotice`; the upload itself then fails with an error.
  if (navigator.onLine) loadTus().catch(() => undefined)
}

/** `preparePartUploads` if `uploadFile` will send one of the files in parts. */
export function prepareUploads(files: readonly File[]): void {
  if (files.some(({ size }) => size > SINGLE_REQUEST_MAX_BYTES)) preparePartUploads()
}

/** Maximum size of a request, so that proxies accept it; larger for very large files, as each request has a cost. */
const PART_BYTES = 16 * 1024 * 1024
const LARGE_PART_BYTES = 64 * 1024 * 1024
const LARGE_FILE_MIN_BYTES = 1024 * 1024 * 1024
/** Delays between failed attempts; when the connection returns, the next attempt starts immediately. */
const RETRY_DELAYS_MS = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000]

/** Callbacks of an upload in parts, in addition to its progress. */
export interface PartsOptions extends SendingOptions {
  /** Called when the server has created or found the upload, with the number of bytes it already has. */
  onStarted?: (partialId: string, offsetBytes: number) => void
  /** Called with true when the upload waits for the connection, and with false once bytes are sent again. */
  onWaiting?: (isWaiting: boolean) => void
}

/** Discards an unfinished upload and its bytes. It isn't an error if the upload is already gone. */
export async function discardPartialUpload(id: string): Promise<void> {
  try {
    await call('DELETE /media/uploads/:id', { params: { id }, headers: { 'Tus-Resumable': '1.0.0' } })
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error
  }
}

/**
 * Uploads a file in parts and returns its final state. Bytes that arrived before, from this page or another, aren't sent
 * again. After a broken connection, it waits until the connection returns.
 *
 * @throws ApiError when the server refuses the file, or attempts fail for a minute; a DOMException `AbortError` when `signal`
 * aborts, after which the same file resumes where it stopped.
 */
export async function uploadInParts(
  file: File,
  metadata: Record<string, string>,
  options: PartsOptions,
): Promise<PartialUploadStateJson> {
  const { signal } = options
  const fingerprint = await fingerprintOf(file)
  const sending: UploadState = {
    file,
    metadata: { ...metadata, filename: file.name, fingerprint },
    url: null,
    sentBytes: -1,
  }
  for (let failedAttempts = 0; ; failedAttempts += 1) {
    const sentBefore = sending.sentBytes
    try {
      return await attempt(sending, options)
    } catch (error) {
      signal?.throwIfAborted()
      if (sending.sentBytes > sentBefore) failedAttempts = 0
      const delayMs = RETRY_DELAYS_MS[failedAttempts]
      if (!isRetryable(error) || (delayMs === undefined && navigator.onLine)) throw error
      options.onWaiting?.(true)
      const waitMs = Math.max(delayMs ?? 0, (error.retryAfterSeconds ?? 0) * 1_000)
      await pause(delayMs === undefined ? null : waitMs, signal)
      signal?.throwIfAborted()
    }
  }
}

interface UploadState {
  file: File
  metadata: Record<string, string>
  /** URL for the parts; null until the server has created the upload. */
  url: string | null
  sentBytes: number
}

async function attempt(sending: UploadState, options: PartsOptions): Promise<PartialUploadStateJson> {
  const { file, metadata } = sending
  if (sending.url === null) {
    const resumable = (await call('GET /media/uploads', { signal: options.signal })).uploads.find(
      ({ fingerprint, size_bytes, import_source }) =>
        fingerprint === metadata.fingerprint &&
        size_bytes === file.size &&
        import_source === (metadata.import_source ?? null),
    )
    if (resumable !== undefined) {
      sending.url = absoluteUrl(path`/media/uploads/${resumable.id}`)
      options.onStarted?.(resumable.id, resumable.offset_bytes)
      options.onProgress(resumable.offset_bytes, file.size)
    }
  }
  await sendRest(sending, options)
  options.onWaiting?.(false)
  // the response to the last part may have been lost with the connection
  return call('GET /media/uploads/:id', {
    params: { id: idIn(sending.url ?? '') },
    signal: options.signal,
    timeoutMs: null,
  })
}

/** Sends the bytes that the server doesn't have yet. */
async function sendRest(sending: UploadState, options: PartsOptions): Promise<void> {
  const { onProgress, onStarted, onWaiting, signal } = options
  const { Upload } = await loadTus()
  const token = tokenStore.get()
  return new Promise((resolve, reject) => {
    const upload = new Upload(sending.file, {
      // With an endpoint, tus would send the whole file again after any error about an existing upload.
      endpoint: sending.url === null ? absoluteUrl('/media/uploads') : null,
      uploadUrl: sending.url,
      metadata: sending.metadata,
      headers: withoutUndefined(requestHeaders(token)),
      chunkSize: sending.file.size > LARGE_FILE_MIN_BYTES ? LARGE_PART_BYTES : PART_BYTES,
      // `uploadInParts` retries, because it watches the connection
      retryDelays: null,
      // the server knows the unfinished uploads of every device
      storeFingerprintForResuming: false,
      onUploadUrlAvailable: () => {
        if (upload.url === null || upload.url === sending.url) return
        sending.url = upload.url
        onStarted?.(idIn(upload.url), 0)
      },
      onProgress: (sentBytes, totalBytes) => {
        onWaiting?.(false)
        sending.sentBytes = Math.max(sending.sentBytes, sentBytes)
        if (!signal?.aborted) onProgress(sentBytes, totalBytes)
      },
      onSuccess: () => finish(resolve),
      onError: (error) =>
        finish(() => {
          if (!isMissingUpload(error)) return reject(asApiError(error, token))
          Object.assign(sending, { url: null, sentBytes: -1 })
          resolve(sendRest(sending, options))
        }),
    })
    const abort = () => {
      void upload.abort()
      finish(() => reject(new DOMException('The upload was stopped', 'AbortError')))
    }
    const finish = (settle: () => void) => {
      signal?.removeEventListener('abort', abort)
      settle()
    }
    if (signal?.aborted) return abort()
    signal?.addEventListener('abort', abort)
    upload.start()
  })
}

function asApiError(error: Error | DetailedError, token: string | null): Error {
  if (!('originalRequest' in error)) return error
  const response = error.originalResponse
  if (response === null) return networkError(error)
  const headers = { get: (name: string) => response.getHeader(name) ?? null }
  return toApiError({ status: response.getStatus(), headers }, response.getBody(), token)
}

/** True when the upload to resume no longer exists: it has expired, or was discarded elsewhere. */
function isMissingUpload(error: Error | DetailedError): boolean {
  if (!('originalRequest' in error)) return false
  return error.originalRequest.getMethod() === 'HEAD' && error.originalResponse?.getStatus() === 404
}

/** True when a retry may help. Status 409 means that another request got further. */
function isRetryable(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.isTemporary || error.status === 409) && error.code !== 'storage_full'
}

function absoluteUrl(path: string): string {
  return new URL(apiUrl(path), window.location.href).href
}

function idIn(url: string): string {
  return url.split('/').at(-1) ?? ''
}

/** The user's choices for an upload. */
export interface UploadChoices {
  /** Don't remove the location from the file's metadata. */
  keepPlace: boolean
}

/** An uploaded item; a duplicate when the memory already had the same bytes. */
export interface UploadedItem {
  item: MediaItemJson
  isDuplicate: boolean
}

/** Larger files are sent in parts, so that a broken connection costs little. */
const SINGLE_REQUEST_MAX_BYTES = 16 * 1024 * 1024

/** Uploads a file; resolves once its bytes are stored, while it's still being processed. */
export async function uploadFile(
  file: File,
  { keepPlace }: UploadChoices,
  options: PartsOptions,
): Promise<UploadedItem> {
  const fields = { generate_caption: 'true', extract_text: 'true', keep_place: String(keepPlace) }
  if (file.size > SINGLE_REQUEST_MAX_BYTES) {
    const { media_item: item, is_duplicate: isDuplicate } = await uploadInParts(file, fields, options)
    if (item === null) throw networkError(new Error('The server says that bytes are missing'))
    return { item, isDuplicate }
  }
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  form.set('wait', '0')
  form.set('file', file)
  const { status, body } = await sendWithProgress<MediaItemJson>('/media/upload', form, options)
  return { item: body, isDuplicate: status === 200 }
}

/** Ids of existing items by their SHA-256 hash (hexadecimal). */
export async function fetchKnownItems(hashes: readonly string[]): Promise<Map<string, string>> {
  const { known: items } = await call('POST /media/known', { json: { sha256: hashes } })
  return new Map(items.map(({ sha256, id }) => [sha256, id]))
}

/** An item's current state, with everything found in it. */
export async function fetchUploadedItem(id: string): Promise<MediaDetailJson> {
  return call('GET /media/:id', { params: { id } })
}

/** Reprocesses an item whose processing failed. */
export async function processAgain(id: string): Promise<void> {
  await call('POST /media/:id/reprocess', { params: { id }, json: {} })
}
