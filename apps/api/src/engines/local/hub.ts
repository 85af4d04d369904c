import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type LocalModelInfo, type ModelFile, maxBytesOf } from './catalogue.ts'
import { hashFile, matchesSha1, partPathOf, pathOf, sizeOf } from './model-files.ts'

export interface HubOptions {
  /** For example https://huggingface.co. */
  baseUrl: string
  /** Time without data after which a request is given up. */
  stallMs?: number
  /** Delay before the first retry; doubles with each further one. */
  retryMs?: number
  /** Maximum consecutive attempts without progress. */
  maxTries?: number
}

/** File metadata that a hub sends before the content. */
interface FileMetadata {
  /** Size of the whole file; null when the hub doesn't report it. */
  bytes: number | null
  /** The hub reports `sha256` for LFS files and `sha1`, of the Git blob, for all others. */
  sha256: string | null
  sha1: string | null
  /** Revision of the model. */
  commit: string | null
}

interface FetchedFile {
  bytes: number
  sha256: string
  commit: string | null
}

/** Failure of a download, worded as the end of a sentence for users. Of addresses, the sentence contains only the host. */
export class HubError extends Error {
  override name = 'HubError'
  /** True when an immediate retry may succeed. */
  readonly isTemporary: boolean
  /** True when the hub has no such file, or no such revision of the model. */
  readonly isMissing: boolean
  constructor(
    message: string,
    {
      isTemporary = false,
      isMissing = false,
      cause,
    }: { isTemporary?: boolean; isMissing?: boolean; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.isTemporary = isTemporary
    this.isMissing = isMissing
  }
}

const STALL_MS = 30_000
const RETRY_MS = 1_000
const MAX_TRIES = 4
/** Upper limit of requests per file, even if each makes some progress. */
const MAX_REQUESTS = 200
const MAX_REDIRECTS = 5
const PROGRESS_BYTES = 64 * 1024
const redirections = new Set([301, 302, 303, 307, 308])

/** Downloads model files from a hub with the API of huggingface.co. */
export function createHub({ baseUrl, stallMs = STALL_MS, retryMs = RETRY_MS, maxTries = MAX_TRIES }: HubOptions): Hub {
  const root = baseUrl.replace(/(?<!\/)\/+$/, '')

  /** Requests the missing part of a file, follows redirects, and collects the metadata sent on the way. */
  const request = async (url: string, from: number, signal: AbortSignal) => {
    const metadata: FileMetadata = { bytes: null, sha256: null, sha1: null, commit: null }
    const headers = { 'accept-encoding': 'identity', ...(from > 0 ? { range: `bytes=${from}-` } : {}) }
    let next = new URL(url)
    for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
      const response = await fetch(next.href, { headers, redirect: 'manual', signal })
      readMetadata(response.headers, metadata)
      const location = response.headers.get('location')
      if (!redirections.has(response.status) || location === null) return { response, metadata }
      await response.body?.cancel()
      const target = URL.canParse(location, next.href) ? new URL(location, next.href) : null
      const isAllowed = target?.protocol === 'https:' || (target?.protocol === 'http:' && next.protocol === 'http:')
      if (target === null || !isAllowed) throw new HubError('the hub redirects to an insecure address')
      next = target
    }
    throw new HubError('the hub redirects too many times')
  }

  const fetchFile: Hub['fetchFile'] = async ({ directory, model, file, commit, pinned, signal, onBytes }) => {
    const path = pathOf(directory, model, file)
    const part = partPathOf(path)
    await mkdir(dirname(path), { recursive: true })
    const url = `${root}/${model.id}/resolve/${commit ?? 'main'}/${file.name}`
    let failedAttempts = 0
    for (let requests = 1; ; requests++) {
      const before = await sizeOf(part)
      onBytes(before)
      try {
        const metadata = await fetchRest({ url, file, part, before, signal, onBytes })
        const fetched = await verify({ part, file, metadata, pinned, signal })
        await rename(part, path)
        return { ...fetched, commit: metadata.commit }
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof UnresumableDownloadError) await rm(part, { force: true })
        const failure = asHubError(error)
        failedAttempts = (await sizeOf(part)) > before + PROGRESS_BYTES ? 0 : failedAttempts + 1
        if (!failure.isTemporary || failedAttempts >= maxTries || requests >= MAX_REQUESTS) throw failure
        await sleep(retryMs * 2 ** Math.min(failedAttempts, 5), undefined, { signal })
      }
    }
  }

  /** Appends the missing bytes to the partial file. */
  const fetchRest = async (options: {
    url: string
    file: ModelFile
    part: string
    before: number
    signal: AbortSignal
    onBytes(bytes: number): void
  }): Promise<FileMetadata> => {
    const { url, file, part, before, signal, onBytes } = options
    const stalled = new AbortController()
    const timer = setTimeout(
      () => stalled.abort(new HubError('the hub doesn’t respond', { isTemporary: true })),
      stallMs,
    )
    // Append to an earlier partial download; never follow a symlink in its place.
    const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants
    let handle: FileHandle | undefined
    let body: Response['body'] = null
    try {
      const { response, metadata } = await request(url, before, AbortSignal.any([signal, stalled.signal]))
      body = response.body
      const start = readStart(response, metadata, file, before)
      if (start === 'whole') return metadata
      if (metadata.bytes !== null && metadata.bytes > maxBytesOf(file)) {
        throw new HubError(`the hub reports ${metadata.bytes} bytes for ${file.name}, far more than expected`)
      }
      handle = await open(part, O_RDWR | O_CREAT | (O_NOFOLLOW ?? 0), 0o644)
      await handle.truncate(start)
      let receivedBytes = start
      for await (const chunk of body ?? []) {
        timer.refresh()
        if (receivedBytes + chunk.length > Math.min(metadata.bytes ?? Infinity, maxBytesOf(file))) {
          await handle.truncate(0)
          throw new HubError(`the hub sent more bytes of ${file.name} than expected`)
        }
        await handle.write(chunk, 0, chunk.length, receivedBytes)
        receivedBytes += chunk.length
        onBytes(receivedBytes)
      }
      await handle.sync()
      if (metadata.bytes !== null && receivedBytes < metadata.bytes) {
        const sentence = `the hub sent ${receivedBytes} of ${metadata.bytes} bytes of ${file.name}`
        throw new HubError(sentence, { isTemporary: true })
      }
      return metadata
    } catch (error) {
      throw stalled.signal.aborted && !signal.aborted ? stalled.signal.reason : error
    } finally {
      clearTimeout(timer)
      // Frees the connection of a response that wasn't read to its end. For a broken connection, there is nothing to free.
      await body?.cancel().catch(() => {})
      await handle?.close()
    }
  }

  /** Offset of the response in the file; 'whole' when nothing is missing. */
  const readStart = (response: Response, metadata: FileMetadata, file: ModelFile, before: number) => {
    const { status, headers } = response
    const range = /^bytes (?:(\d+)-\d+|\*)\/(\d+)$/.exec(headers.get('content-range') ?? '')
    if (status === 206 && range !== null && Number(range[1]) === before) {
      metadata.bytes ??= Number(range[2])
      return before
    }
    if (status === 416 && range !== null && Number(range[2]) === before) return 'whole'
    if (status === 200) {
      const length = Number(headers.get('content-length') ?? Number.NaN)
      metadata.bytes ??= Number.isSafeInteger(length) ? length : null
      return 0
    }
    if (status === 416 || status === 206) throw new UnresumableDownloadError()
    if (status === 404) throw new HubError(`the hub has no file ${file.name} of this model`, { isMissing: true })
    if (status === 401 || status === 403) throw new HubError('access to this model is restricted')
    const isTemporary = status === 429 || status >= 500
    throw new HubError(`the hub responded with status ${status}`, { isTemporary })
  }

  /** Checks the download against the hub's hash and the pinned one. @throws HubError after deleting a file that doesn't match. */
  const verify = async (download: {
    part: string
    file: ModelFile
    metadata: FileMetadata
    pinned: string | null
    signal: AbortSignal
  }) => {
    const { part, file, metadata, pinned, signal } = download
    const digest = await hashFile(part, signal)
    const matchesHub =
      digest.bytes > 0 &&
      (metadata.sha256 === null || metadata.sha256 === digest.sha256) &&
      (metadata.sha1 === null || (await matchesSha1(part, metadata.sha1)))
    if (matchesHub && (pinned === null || pinned === digest.sha256)) return digest
    await rm(part, { force: true })
    if (!matchesHub) throw new HubError(`${file.name} arrived damaged: it doesn’t match the hub’s hash`)
    throw new HubError(`${file.name} differs from the file that was downloaded first, and was rejected`)
  }

  const asHubError = (error: unknown): HubError => {
    if (error instanceof HubError) return error
    if (error instanceof UnresumableDownloadError)
      return new HubError('the hub can’t resume the download', { isTemporary: true })
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOSPC' || code === 'EDQUOT') return new HubError('the disk is full', { cause: error })
    if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM' || code === 'ELOOP') {
      return new HubError('MODELS_DIR isn’t writable', { cause: error })
    }
    // undici reports everything else as a TypeError with a cause.
    const isCut = error instanceof TypeError && /terminated/.test(error.message)
    const reason = isCut ? 'the connection broke off' : (UNREACHABLE[codeOf(error)] ?? 'it can’t be reached')
    return new HubError(`${new URL(baseUrl).host}: ${reason}`, {
      isTemporary: isCut || error instanceof TypeError,
      cause: error,
    })
  }

  return { fetchFile }
}

/** Reasons that a host can't be reached, by error code. */
const UNREACHABLE: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its name can’t be resolved; is this server connected to the internet?',
  EAI_AGAIN: 'its name can’t be resolved; is this server connected to the internet?',
  ECONNREFUSED: 'it refused the connection',
  ECONNRESET: 'it closed the connection',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'there is no route to it',
  ETIMEDOUT: 'it didn’t respond in time',
  UND_ERR_CONNECT_TIMEOUT: 'it didn’t respond in time',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate isn’t trusted here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate isn’t trusted here',
}

/** Error code of the innermost cause that has one. */
function codeOf(error: unknown): string {
  let current = error
  for (; current instanceof Error; current = current instanceof AggregateError ? current.errors[0] : current.cause) {
    const { code } = current as NodeJS.ErrnoException
    if (code !== undefined) return code
  }
  return ''
}

/** A partial download that doesn't match the hub's current file. */
class UnresumableDownloadError extends Error {}

/** Download source of models. */
export interface Hub {
  /**
   * Downloads a file, resuming an earlier attempt.
   * @param commit revision of the model's other files; null for the newest.
   * @param pinned the SHA-256 that the file must have; null for the first download.
   * @throws HubError; the signal's reason when aborted, which leaves the partial file for the next attempt.
   */
  fetchFile(request: {
    directory: string
    model: LocalModelInfo
    file: ModelFile
    commit: string | null
    pinned: string | null
    signal: AbortSignal
    onBytes(bytes: number): void
  }): Promise<FetchedFile>
}

/**
 * Reads a file's metadata from response headers. Keeps values of earlier responses: the hub's own comes before those of
 * redirect targets.
 */
function readMetadata(headers: Headers, metadata: FileMetadata): void {
  const tag = (headers.get('x-linked-etag') ?? headers.get('etag') ?? '').replace(/^W\//, '').replaceAll('"', '')
  if (metadata.sha256 === null && metadata.sha1 === null) {
    if (/^[0-9a-f]{64}$/.test(tag)) metadata.sha256 = tag
    if (/^[0-9a-f]{40}$/.test(tag)) metadata.sha1 = tag
  }
  const size = headers.get('x-linked-size')
  if (size !== null && /^\d{1,15}$/.test(size)) metadata.bytes ??= Number(size)
  const commit = headers.get('x-repo-commit')
  if (commit !== null && /^[0-9a-f]{40}$/.test(commit)) metadata.commit ??= commit
}
