import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { basename } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import type { can } from '@mira/shared'
import { FileStore } from '@tus/file-store'
import { ERRORS, type KvStore, type Locker, Server, Upload } from '@tus/server'
import {
  AppError,
  BadRequestError,
  ChecksumMismatchError,
  ConflictError,
  NotFoundError,
  PayloadTooLargeError,
  PreconditionFailedError,
  UnsupportedTypeError,
} from '../../errors.ts'
import type { PartChecksum, PartialFiles } from './partial-files.ts'

/** User of an upload, with their permissions. */
export interface Sender {
  userId: string
  user: User & { id: string }
  countsInAnalytics: boolean
  /** Rejects when the sender has been signed out in the meantime. */
  requireStillAllowed(): Promise<void>
}

type User = NonNullable<Parameters<typeof can>[0]>

/** A file that is uploaded in parts, as recorded by the hooks. */
export interface KnownUpload {
  sizeBytes: number
  expiresAt: Date
  /** True once the upload has become an item or an import, to which its bytes have been moved. */
  isTaken: boolean
}

/** Hooks of the upload protocol; the sender receives the errors they throw. */
export interface TusHooks {
  /** Records a new upload. */
  begin(sender: Sender, id: string, input: { sizeBytes: number; metadata: Record<string, string> }): Promise<void>
  /** A user's upload; null when there is none, or when it no longer exists. */
  find(userId: string, id: string): Promise<KnownUpload | null>
  forget(userId: string, id: string): Promise<void>
  /** Extends the expiry after more bytes were received. */
  extendLifetime(userId: string, id: string): Promise<void>
  /** Maximum size of a new upload. */
  maxBytes(): number
  /** Called when all bytes were received. */
  finish(sender: Sender, id: string): Promise<void>
  /** Ensures that only one request at a time writes to an upload, across all servers. */
  locker: Locker
}

/** A request of the protocol; its path ends with an upload's id, or is the path of all uploads. */
interface TusRequest {
  method: string
  path: string
  headers: Record<string, string | string[] | undefined>
  /** Null when there is none. */
  body: Readable | null
}

interface TusResponse {
  status: number
  headers: Record<string, string>
}

/** Speaks tus 1.0. */
export interface Tus {
  /**
   * Handles a request; received bytes are kept, even if the rest doesn't arrive.
   * @throws AppError when a hook throws one, or when the request violates the protocol.
   */
  handle(sender: Sender, request: TusRequest): Promise<TusResponse>
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const EXTENSIONS = ['creation', 'creation-with-upload', 'termination', 'expiration', 'checksum']
const ALGORITHMS = ['sha1', 'sha256', 'md5'] as const
/** Headers for the tus server, which refuses requests for unusual values of others, such as X-Forwarded-Proto. */
const PROTOCOL_HEADER = /^(?:tus-|upload-|content-|x-http-method-override$)/
/** Chunks buffered between the request and tus. The buffer is in object mode, so that chunks aren't copied. */
const MAX_BUFFERED_CHUNKS = 4
/** Time for a superseded request to finish its writes. */
const DRAIN_MS = 500

/**
 * Creates the tus server. No state is kept in memory: bytes are in files and everything else comes from the hooks, so
 * that any server that shares the folder and the database can continue an upload.
 */
export function createTus(deps: { files: PartialFiles; hooks: TusHooks; path: string; lifetimeMs: number }): Tus {
  const { files, hooks, path, lifetimeMs } = deps
  const senders = new WeakMap<Request, Sender>()
  const senderOf = (request: Request): Sender => {
    const sender = senders.get(request)
    if (sender === undefined) throw new Error('request without a sender')
    return sender
  }
  const checksums = new AsyncLocalStorage<PartChecksum | undefined>()
  const store = new RowBackedFileStore(files, hooks, lifetimeMs, () => checksums.getStore())
  const server = new Server({
    path,
    datastore: store,
    locker: hooks.locker,
    lockDrainTimeout: DRAIN_MS,
    namingFunction: (request) => `${senderOf(request).userId}/${randomUUID()}`,
    // relative, so that it works behind any proxy; many clients end the address with a slash
    generateUrl: ({ url }, { id }) =>
      new URL(url).pathname.endsWith('/') ? basename(id) : `${basename(path)}/${basename(id)}`,
    // prefixing the sender's id makes other users' uploads unreachable
    getFileIdFromRequest: (request, last = '') => (UUID.test(last) ? `${senderOf(request).userId}/${last}` : undefined),
    onUploadCreate: async (request, { id, size = 0, metadata }) => {
      const values = Object.fromEntries(Object.entries(metadata ?? {}).map(([name, value]) => [name, value ?? '']))
      await hooks.begin(senderOf(request), basename(id), { sizeBytes: size, metadata: values })
      return {}
    },
    onUploadFinish: async (request, { id }) => {
      const sender = senderOf(request)
      await sender.requireStillAllowed()
      await hooks.finish(sender, basename(id))
      return {}
    },
    onResponseError: (_request, error) => {
      throw asAppError(error)
    },
  })

  return {
    async handle(sender, { method, path: requestPath, headers, body }) {
      // a copy of the body, so that ending it early leaves the connection open for the response
      const copy =
        body?.pipe(new PassThrough({ readableObjectMode: true, readableHighWaterMark: MAX_BUFFERED_CHUNKS })) ?? null
      const abortCopy = () => copy?.destroy(new Error('The sender went away.'))
      body?.once('close', () => body.readableEnded || abortCopy())
      const request = new Request(new URL(requestPath, 'http://localhost'), {
        method,
        headers: Object.entries(headers).flatMap(([name, value]): [string, string][] =>
          value === undefined || !PROTOCOL_HEADER.test(name) ? [] : [[name, [value].flat().join(', ')]],
        ),
        ...(copy === null ? {} : { body: Readable.toWeb(copy) as ReadableStream, duplex: 'half' }),
      })
      senders.set(request, sender)
      try {
        const response = await checksums.run(checksumIn(request), () => server.handleWeb(request))
        if (response.status >= 400) throw refusal(response.status, (await response.text()).trim())
        const offeredHeaders = {
          'tus-max-size': String(hooks.maxBytes()),
          'tus-checksum-algorithm': ALGORITHMS.join(','),
        }
        return {
          status: response.status,
          headers: { ...headersOf(response), ...(method === 'OPTIONS' ? offeredHeaders : {}) },
        }
      } finally {
        if (copy !== null && body !== null) {
          body.unpipe(copy)
          // read and discard the rest, so that the sender receives the response
          body.resume()
        }
      }
    },
  }
}

/** The tus server's file store, with its metadata in rows. */
class RowBackedFileStore extends FileStore {
  readonly #files: PartialFiles
  readonly #hooks: TusHooks
  readonly #lifetimeMs: number
  readonly #checksum: () => PartChecksum | undefined

  constructor(files: PartialFiles, hooks: TusHooks, lifetimeMs: number, checksum: () => PartChecksum | undefined) {
    super({
      directory: files.directory,
      configstore: createUploadRowStore(hooks),
      expirationPeriodInMilliseconds: lifetimeMs,
    })
    this.extensions = EXTENSIONS
    this.#files = files
    this.#hooks = hooks
    this.#lifetimeMs = lifetimeMs
    this.#checksum = checksum
  }

  override async getUpload(path: string): Promise<Upload> {
    const [userId, id] = splitPath(path)
    const upload = await this.#hooks.find(userId, id)
    if (upload === null) throw ERRORS.FILE_NOT_FOUND
    const { sizeBytes: size, expiresAt, isTaken } = upload
    const offset = isTaken ? size : await this.#files.sizeOf(userId, id)
    if (offset === null) throw ERRORS.FILE_NOT_FOUND
    // the tus server adds the lifetime to this
    const from = new Date(expiresAt.getTime() - this.#lifetimeMs).toISOString()
    return new Upload({ id: path, size, offset, creation_date: from })
  }

  override async write(content: Readable, path: string, offset: number): Promise<number> {
    const [userId, id] = splitPath(path)
    const receivedBytes = await this.#files.write(userId, id, { content, offset, checksum: this.#checksum() })
    if (receivedBytes === null) {
      throw new ChecksumMismatchError('Part of the file was altered in transit. Send it again.', {
        code: 'checksum_mismatch',
      })
    }
    await this.#hooks.extendLifetime(userId, id)
    return receivedBytes
  }

  override async remove(path: string): Promise<void> {
    const [userId, id] = splitPath(path)
    if ((await this.#hooks.find(userId, id)) === null) throw ERRORS.FILE_NOT_FOUND
    await this.#files.remove(userId, id)
    await this.#hooks.forget(userId, id)
  }
}

/** Key-value store of the tus server, backed by the upload's row, which exists from the start. */
function createUploadRowStore(hooks: TusHooks): KvStore {
  return {
    get: async (path) => {
      const upload = await hooks.find(...splitPath(path))
      return upload === null ? undefined : new Upload({ id: path, size: upload.sizeBytes, offset: 0 })
    },
    // Stores nothing: `begin` has already recorded the upload, whose size never changes.
    set: async () => {},
    delete: (path) => hooks.forget(...splitPath(path)),
  }
}

/** Checksum of the chunk from the request. @throws BadRequestError when the algorithm isn't supported. */
function checksumIn({ headers }: Request): PartChecksum | undefined {
  const checksum = headers.get('upload-checksum')
  if (checksum === null) return undefined
  const [name, digest = ''] = checksum.trim().split(/ +/)
  const algorithm = ALGORITHMS.find((algorithm) => algorithm === name)
  if (algorithm === undefined) throw new BadRequestError(`Upload-Checksum takes ${ALGORITHMS.join(', ')}.`)
  return { algorithm, digest: Buffer.from(digest, 'base64') }
}

function splitPath(path: string): [userId: string, id: string] {
  const [userId = '', id = ''] = path.split('/')
  return [userId, id]
}

/** Response headers without CORS headers, which are set for all routes alike. */
function headersOf(response: Response): Record<string, string> {
  return Object.fromEntries(
    [...response.headers].filter(([name]) => !name.startsWith('access-control-') && name !== 'content-length'),
  )
}

function asAppError(error: Error | { status_code: number; body: string }): Error {
  if (error instanceof AppError) return error
  if ('status_code' in error) return refusal(error.status_code, error.body.trim())
  return error
}

/** Error for a refusal by the tus server, worded for developers of clients. */
function refusal(status: number, reason: string): Error {
  if (status === 404 || status === 410) return new NotFoundError('This upload no longer exists.')
  if (status === 409) {
    return new ConflictError('This upload was continued elsewhere. Ask for its offset.', { code: 'upload_offset' })
  }
  if (status === 412 || /tus-resumable/i.test(reason)) {
    return new PreconditionFailedError('Send the header Tus-Resumable: 1.0.0.')
  }
  if (/content-type/i.test(reason)) return new UnsupportedTypeError('Send parts as application/offset+octet-stream.')
  if (status === 413) return new PayloadTooLargeError('This is more than the declared size of the file.')
  // 501: an unsupported extension
  if (status < 500 || status === 501) return new BadRequestError(reason)
  return new Error(reason)
}
