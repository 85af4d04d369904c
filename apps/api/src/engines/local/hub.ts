import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type LocalModelInfo, type ModelFile, maxBytesOf } from './catalogue.ts'
import { hashFile, isNamed, partPathOf, pathOf, sizeOf } from './model-files.ts'

export interface HubOptions {
  /** As https://huggingface.co. */
  baseUrl: string
  /** Time without data after which a request is given up. */
  stallMs?: number
  /** Before a request is made again; the next waits twice as long. */
  retryMs?: number
  /** Maximum attempts of a request that returns nothing. */
  maxTries?: number
}

/** File metadata that a hub sends before the content. */
interface FileFacts {
  /** The whole of it; null when it is not told. */
  bytes: number | null
  /** `sha256` is told of files that are kept outside Git, `sha1`, of the Git blob, of all others. */
  sha256: string | null
  sha1: string | null
  /** Revision of the model. */
  commit: string | null
}

/** A file as it arrived. */
interface FetchedFile {
  bytes: number
  sha256: string
  commit: string | null
}

/** Failure of a download, worded as the end of a sentence for users; of an address it names the host alone. */
export class HubError extends Error {
  override name = 'HubError'
  /** True when an immediate retry may succeed. */
  readonly mayPass: boolean
  /** The hub has no such file, or no such state of the model. */
  readonly isMissing: boolean
  constructor(
    message: string,
    { mayPass = false, isMissing = false, cause }: { mayPass?: boolean; isMissing?: boolean; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.mayPass = mayPass
    this.isMissing = isMissing
  }
}

const STALL_MS = 30_000
const RETRY_MS = 1_000
const MAX_TRIES = 4
/** However little each of them brings. */
const MAX_REQUESTS = 200
const MAX_REDIRECTS = 5
const PROGRESS_BYTES = 64 * 1024
const redirections = new Set([301, 302, 303, 307, 308])

/** Fetches files of models from a hub that answers as huggingface.co does. */
export function createHub({ baseUrl, stallMs = STALL_MS, retryMs = RETRY_MS, maxTries = MAX_TRIES }: HubOptions): Hub {
  const root = baseUrl.replace(/(?<!\/)\/+$/, '')

  /** Asks for what is missing of a file, follows where it is sent, and keeps what it is told on the way. */
  const ask = async (url: string, from: number, signal: AbortSignal) => {
    const facts: FileFacts = { bytes: null, sha256: null, sha1: null, commit: null }
    const headers = { 'accept-encoding': 'identity', ...(from > 0 ? { range: `bytes=${from}-` } : {}) }
    let next = new URL(url)
    for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
      const answer = await fetch(next.href, { headers, redirect: 'manual', signal })
      readFacts(answer.headers, facts)
      const location = answer.headers.get('location')
      if (!redirections.has(answer.status) || location === null) return { answer, facts }
      await answer.body?.cancel()
      const target = URL.canParse(location, next.href) ? new URL(location, next.href) : null
      const isAllowed = target?.protocol === 'https:' || (target?.protocol === 'http:' && next.protocol === 'http:')
      if (target === null || !isAllowed) throw new HubError('the hub sends elsewhere in a way that is not safe')
      next = target
    }
    throw new HubError('the hub sends from one place to the next without end')
  }

  const fetchFile: Hub['fetchFile'] = async ({ directory, model, file, commit, pinned, signal, onBytes }) => {
    const path = pathOf(directory, model, file)
    const part = partPathOf(path)
    await mkdir(dirname(path), { recursive: true })
    const url = `${root}/${model.id}/resolve/${commit ?? 'main'}/${file.name}`
    let fruitless = 0
    for (let requests = 1; ; requests++) {
      const before = await sizeOf(part)
      onBytes(before)
      try {
        const facts = await fetchRest({ url, file, part, before, signal, onBytes })
        const fetched = await settle({ part, file, facts, pinned, signal })
        await rename(part, path)
        return { ...fetched, commit: facts.commit }
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof UselessPartError) await rm(part, { force: true })
        const failure = asHubError(error)
        fruitless = (await sizeOf(part)) > before + PROGRESS_BYTES ? 0 : fruitless + 1
        if (!failure.mayPass || fruitless >= maxTries || requests >= MAX_REQUESTS) throw failure
        await sleep(retryMs * 2 ** Math.min(fruitless, 5), undefined, { signal })
      }
    }
  }

  /** Appends what is missing to the part that is there. */
  const fetchRest = async (want: {
    url: string
    file: ModelFile
    part: string
    before: number
    signal: AbortSignal
    onBytes(bytes: number): void
  }): Promise<FileFacts> => {
    const { url, file, part, before, signal, onBytes } = want
    const stalled = new AbortController()
    const timer = setTimeout(() => stalled.abort(new HubError('the hub does not answer', { mayPass: true })), stallMs)
    // a part of before is written at its end; nothing is followed that lies in its place
    const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants
    let handle: FileHandle | undefined
    try {
      const { answer, facts } = await ask(url, before, AbortSignal.any([signal, stalled.signal]))
      const start = await readStart(answer, facts, file, before)
      if (start === 'whole') return facts
      if (facts.bytes !== null && facts.bytes > maxBytesOf(file)) {
        throw new HubError(`the hub says that ${file.name} has ${facts.bytes} bytes, far more than it should`)
      }
      handle = await open(part, O_RDWR | O_CREAT | (O_NOFOLLOW ?? 0), 0o644)
      await handle.truncate(start)
      let receivedBytes = start
      for await (const chunk of answer.body ?? []) {
        timer.refresh()
        if (receivedBytes + chunk.length > Math.min(facts.bytes ?? Infinity, maxBytesOf(file))) {
          await handle.truncate(0)
          throw new HubError(`the hub sends more of ${file.name} than it should`)
        }
        await handle.write(chunk, 0, chunk.length, receivedBytes)
        receivedBytes += chunk.length
        onBytes(receivedBytes)
      }
      await handle.sync()
      if (facts.bytes !== null && receivedBytes < facts.bytes) {
        const what = `the hub sent ${receivedBytes} of ${facts.bytes} bytes of ${file.name}`
        throw new HubError(what, { mayPass: true })
      }
      return facts
    } catch (error) {
      throw stalled.signal.aborted && !signal.aborted ? stalled.signal.reason : error
    } finally {
      clearTimeout(timer)
      await handle?.close()
    }
  }

  /** Offset of the response in the file; 'whole' when nothing is missing. */
  const readStart = async (answer: Response, facts: FileFacts, file: ModelFile, before: number) => {
    const { status, headers } = answer
    const range = /^bytes (?:(\d+)-\d+|\*)\/(\d+)$/.exec(headers.get('content-range') ?? '')
    if (status === 206 && range !== null && Number(range[1]) === before) {
      facts.bytes ??= Number(range[2])
      return before
    }
    if (status === 416 && range !== null && Number(range[2]) === before) {
      await answer.body?.cancel()
      return 'whole'
    }
    if (status === 200) {
      const length = Number(headers.get('content-length') ?? Number.NaN)
      facts.bytes ??= Number.isSafeInteger(length) ? length : null
      return 0
    }
    await answer.body?.cancel()
    if (status === 416 || status === 206) throw new UselessPartError()
    if (status === 404) throw new HubError(`the hub has no file ${file.name} of this model`, { isMissing: true })
    if (status === 401 || status === 403) throw new HubError('the hub does not give this model to everybody')
    const mayPass = status === 429 || status >= 500
    throw new HubError(`the hub answers with ${status}`, { mayPass })
  }

  /** Holds what arrived against what the hub says it is, and what came the first time. @throws HubError, and then it is gone. */
  const settle = async (arrived: {
    part: string
    file: ModelFile
    facts: FileFacts
    pinned: string | null
    signal: AbortSignal
  }) => {
    const { part, file, facts, pinned, signal } = arrived
    const digest = await hashFile(part, signal)
    const isRight =
      digest.bytes > 0 &&
      (facts.sha256 === null || facts.sha256 === digest.sha256) &&
      (facts.sha1 === null || (await isNamed(part, facts.sha1)))
    if (isRight && (pinned === null || pinned === digest.sha256)) return digest
    await rm(part, { force: true })
    if (!isRight) throw new HubError(`${file.name} arrived damaged: it is not what the hub says it is`)
    throw new HubError(`${file.name} is not the file that came from the hub the first time, and was refused`)
  }

  const asHubError = (error: unknown): HubError => {
    if (error instanceof HubError) return error
    if (error instanceof UselessPartError) return new HubError('the hub refuses to go on', { mayPass: true })
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOSPC' || code === 'EDQUOT') return new HubError('the disk is full', { cause: error })
    if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM' || code === 'ELOOP') {
      return new HubError('MODELS_DIR cannot be written', { cause: error })
    }
    // undici reports everything else as a TypeError with a cause
    const isCut = error instanceof TypeError && /terminated/.test(error.message)
    const reason = isCut ? 'the connection breaks off' : (UNREACHABLE[codeOf(error)] ?? 'it cannot be reached')
    return new HubError(`${new URL(baseUrl).host}: ${reason}`, {
      mayPass: isCut || error instanceof TypeError,
      cause: error,
    })
  }

  return { fetchFile }
}

/** Reasons that a host can't be reached, by error code. */
const UNREACHABLE: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its name cannot be looked up; is this server on the internet?',
  EAI_AGAIN: 'its name cannot be looked up; is this server on the internet?',
  ECONNREFUSED: 'nothing answers there',
  ECONNRESET: 'it closes the connection',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no way to it',
  ETIMEDOUT: 'it does not answer in time',
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer in time',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted here',
}

/** Error code of the innermost cause that has one. */
function codeOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at instanceof AggregateError ? at.errors[0] : at.cause) {
    const { code } = at as NodeJS.ErrnoException
    if (code !== undefined) return code
  }
  return ''
}

/** A partial download that doesn't match the hub's current file. */
class UselessPartError extends Error {}

/** Download source of models. */
export interface Hub {
  /**
   * Brings a file to where it belongs, going on where an earlier try ended.
   * @param commit the state of the model that its other files are of; null for the newest.
   * @param pinned the SHA-256 that it must have; null when it comes for the first time.
   * @throws HubError; the reason of the signal when it was aborted: what has arrived stays.
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

/** Keeps what is told first: the hub knows its file, the place that it sends to only the bytes. */
function readFacts(headers: Headers, facts: FileFacts): void {
  const tag = (headers.get('x-linked-etag') ?? headers.get('etag') ?? '').replace(/^W\//, '').replaceAll('"', '')
  if (facts.sha256 === null && facts.sha1 === null) {
    if (/^[0-9a-f]{64}$/.test(tag)) facts.sha256 = tag
    if (/^[0-9a-f]{40}$/.test(tag)) facts.sha1 = tag
  }
  const size = headers.get('x-linked-size')
  if (size !== null && /^\d{1,15}$/.test(size)) facts.bytes ??= Number(size)
  const commit = headers.get('x-repo-commit')
  if (commit !== null && /^[0-9a-f]{40}$/.test(commit)) facts.commit ??= commit
}
