import type { CodedSentence, TokenScope } from '@mira/shared'
import { type Sentence, say } from './sentences.ts'

/** Error in one field of a request; `path` is its dotted wire name. */
export interface FieldError {
  path: string
  message: string
}

/** Options of every error, in addition to its message. */
export interface AppErrorOptions {
  /** Error code in the response; each class has a default. */
  code?: string
  errors?: FieldError[]
  /** Sent as `Retry-After`, whole seconds. */
  retryAfterSeconds?: number
  cause?: unknown
  /** The message as codes, for translation. */
  sentences?: CodedSentence[] | undefined
}

/**
 * An error meant for the caller: the error handler responds with its status and `{detail: message, code, errors?}`.
 * The message is an English sentence without secrets; when it's built with `say`, clients can translate it.
 */
export class AppError extends Error {
  readonly status: number = 500
  readonly code: string
  readonly errors: FieldError[] | undefined
  readonly retryAfterSeconds: number | undefined
  readonly sentences: CodedSentence[]

  constructor(sentence: string | Sentence, defaultCode: string, options: AppErrorOptions = {}) {
    super(
      typeof sentence === 'string' ? sentence : sentence.text,
      options.cause === undefined ? undefined : { cause: options.cause },
    )
    this.name = new.target.name
    this.code = options.code ?? defaultCode
    this.errors = options.errors
    this.retryAfterSeconds = options.retryAfterSeconds
    this.sentences = options.sentences ?? (typeof sentence === 'string' ? [] : sentence.sentences)
  }
}

/** 400: the request itself is malformed. */
export class BadRequestError extends AppError {
  override readonly status = 400
  constructor(message: string | Sentence, options?: AppErrorOptions) {
    super(message, 'bad_request', options)
  }
}

/** 401: a missing, invalid, expired or revoked token, or a disabled account. */
export class UnauthorizedError extends AppError {
  override readonly status = 401
  constructor(message: string | Sentence, options?: AppErrorOptions) {
    super(message, 'unauthorized', options)
  }
}

/** 403: signed in but not permitted, or a wrong password when confirming a dangerous action. */
export class ForbiddenError extends AppError {
  override readonly status = 403
  constructor(message: string | Sentence, options?: AppErrorOptions) {
    super(message, 'forbidden', options)
  }
}

export function sessionEndedError(): UnauthorizedError {
  return new UnauthorizedError('Your session has ended. Sign in again.')
}

/** For an invalid API token; `sessionEndedError` is for users' sign-ins. */
export function unknownTokenError(): UnauthorizedError {
  return new UnauthorizedError('This token is unknown, has expired or was revoked. Create a new one.')
}

/** For an API token without the scope that a route needs. */
export function missingScopeError(scope: TokenScope): ForbiddenError {
  return new ForbiddenError(`This API token lacks the scope “${scope}”. Create one that has it.`, {
    code: 'scope_missing',
  })
}

/** 404: doesn't exist, or belongs to another user. */
export class NotFoundError extends AppError {
  override readonly status = 404
  constructor(message: string | Sentence, options?: AppErrorOptions) {
    super(message, 'not_found', options)
  }
}

/** 405: the address only has other methods, listed in the `Allow` header. */
export class MethodNotAllowedError extends AppError {
  override readonly status = 405
  constructor(message: string) {
    super(message, 'method_not_allowed')
  }
}

/** 409: conflicts with something that already exists. */
export class ConflictError extends AppError {
  override readonly status = 409
  constructor(message: string | Sentence, options?: AppErrorOptions) {
    super(message, 'conflict', options)
  }
}

/** 412: a header that the protocol requires is missing or wrong (tus). */
export class PreconditionFailedError extends AppError {
  override readonly status = 412
  constructor(message: string | Sentence, options?: AppErrorOptions) {
    super(message, 'precondition_failed', options)
  }
}

/** 413: larger than the limit, which the message names. */
export class PayloadTooLargeError extends AppError {
  override readonly status = 413
  constructor(message: string | Sentence, options?: AppErrorOptions) {
    super(message, 'payload_too_large', options)
  }
}

/** 460: the received bytes don't match the checksum sent with them (tus). */
export class ChecksumMismatchError extends AppError {
  override readonly status = 460
  constructor(message: string | Sentence, options?: AppErrorOptions) {
    super(message, 'checksum_mismatch', options)
  }
}

/** 415: not a supported type, judged by content. */
export class UnsupportedTypeError extends AppError {
  override readonly status = 415
  constructor(message: string | Sentence, options?: AppErrorOptions) {
    super(message, 'unsupported_type', options)
  }
}

/** 422: well-formed, but fails validation; `errors` says which fields. */
export class ValidationError extends AppError {
  override readonly status = 422
  constructor(message: string | Sentence, options?: AppErrorOptions) {
    super(message, 'validation_failed', options)
  }
}

/** 423: in use by another request right now (tus). */
export class LockedError extends AppError {
  override readonly status = 423
  constructor(message: string | Sentence, options?: AppErrorOptions) {
    super(message, 'locked', options)
  }
}

/** 429: too many requests; `retryAfterSeconds` says when to retry. */
export class TooManyRequestsError extends AppError {
  override readonly status = 429
  constructor(message: string | Sentence, options?: AppErrorOptions) {
    super(message, 'too_many_requests', options)
  }
}

/** Options of an EngineError. */
export interface EngineErrorOptions extends AppErrorOptions {
  /** True when the same call fails until the server, its settings or the input change. */
  isPermanent?: boolean
  /** HTTP status of the engine's own server. */
  serverStatus?: number | undefined
}

/** 502: the engine behind a capability failed; the message says how. */
export class EngineError extends AppError {
  override readonly status = 502
  readonly isPermanent: boolean
  readonly serverStatus: number | undefined
  constructor(message: string | Sentence, options: EngineErrorOptions = {}) {
    super(message, 'model_error', options)
    this.isPermanent = options.isPermanent ?? false
    this.serverStatus = options.serverStatus
  }
}

/** 503: a needed engine or service isn't available; the message says which and why. */
export class UnavailableError extends AppError {
  override readonly status = 503
  constructor(message: string | Sentence, options?: AppErrorOptions) {
    super(message, 'unavailable', options)
  }
}

/** 507: no space left for files or rows. */
export class StorageFullError extends AppError {
  override readonly status = 507
  constructor(message: string | Sentence = say('storage_full', {}), options?: AppErrorOptions) {
    super(message, 'storage_full', options)
  }
}

/** The server can't start: the process prints the message, one sentence for the operator, and exits with 1. */
export class StartupError extends Error {
  override name = 'StartupError'
}

/** An AppError as plain data, for the response and for other processes. */
export interface SerializedError extends Omit<AppErrorOptions, 'cause' | 'sentences'> {
  status: number
  message: string
  code: string
  /** Sentences, under the name that processes of earlier versions use. */
  told: CodedSentence[]
}

export function serializeError({
  status,
  message,
  code,
  errors,
  retryAfterSeconds,
  sentences,
}: AppError): SerializedError {
  return {
    status,
    message,
    code,
    told: sentences,
    ...(errors && { errors }),
    ...(retryAfterSeconds && { retryAfterSeconds }),
  }
}

const errorClasses = new Map(
  [
    ...[BadRequestError, UnauthorizedError, ForbiddenError, NotFoundError, ConflictError, PreconditionFailedError],
    ...[PayloadTooLargeError, UnsupportedTypeError, ValidationError, TooManyRequestsError, EngineError],
    ...[UnavailableError, StorageFullError],
  ].map((ErrorClass) => [new ErrorClass('').status, ErrorClass]),
)

/** Inverse of `serializeError`: an error of the class it had. */
export function deserializeError({ status, message, told, ...rest }: SerializedError): AppError {
  const options = { ...rest, sentences: told }
  const ErrorClass = errorClasses.get(status)
  return ErrorClass ? new ErrorClass(message, options) : new AppError(message, options.code, options)
}

export function sentenceOf({ message, sentences }: AppError): Sentence {
  return { text: message, sentences }
}

/** True when the same work fails until something changes; false for temporary failures. */
export function isPermanent(error: unknown): boolean {
  if (error instanceof EngineError) return error.isPermanent
  return error instanceof AppError && [413, 415, 422].includes(error.status)
}

/** A remote store refuses or doesn't respond; the message says what to do. */
export class RemoteStoreError extends Error {
  override name = 'RemoteStoreError'
}
