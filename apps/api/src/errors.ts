import type { CodedSentence, TokenScope } from '@mira/shared'
import { type Sentence, say } from './sentences.ts'

/** Error in one field of a request: `path` is its dotted wire name. */
export interface FieldError {
  path: string
  message: string
}

/** Options of every error, in addition to its sentence. */
export interface AppErrorOptions {
  /** Error code in the response; each class has a default. */
  code?: string
  errors?: FieldError[]
  /** Sent as `Retry-After`, whole seconds. */
  retryAfterSeconds?: number
  cause?: unknown
  /** The message as codes, for translation. */
  told?: CodedSentence[] | undefined
}

/**
 * An error meant for the caller: the handler answers `{detail: message, code, errors?}` with its status.
 * The message is a sentence for a person, in English, and never holds anything secret; built with `say`, clients can
 * translate it.
 */
export class AppError extends Error {
  readonly status: number = 500
  readonly code: string
  readonly errors: FieldError[] | undefined
  readonly retryAfterSeconds: number | undefined
  readonly told: CodedSentence[]

  constructor(sentence: string | Sentence, defaultCode: string, options: AppErrorOptions = {}) {
    super(
      typeof sentence === 'string' ? sentence : sentence.text,
      options.cause === undefined ? undefined : { cause: options.cause },
    )
    this.name = new.target.name
    this.code = options.code ?? defaultCode
    this.errors = options.errors
    this.retryAfterSeconds = options.retryAfterSeconds
    this.told = options.told ?? (typeof sentence === 'string' ? [] : sentence.told)
  }
}

/** 400: the request itself is malformed. */
export class BadRequestError extends AppError {
  override readonly status = 400
  constructor(message: string | Sentence, options?: AppErrorOptions) {
    super(message, 'bad_request', options)
  }
}

/** 401: no, an invalid, an expired or a revoked token, or a disabled account. */
export class UnauthorizedError extends AppError {
  override readonly status = 401
  constructor(message: string | Sentence, options?: AppErrorOptions) {
    super(message, 'unauthorized', options)
  }
}

/** 403: known, but not allowed, or the wrong password given for a dangerous act. */
export class ForbiddenError extends AppError {
  override readonly status = 403
  constructor(message: string | Sentence, options?: AppErrorOptions) {
    super(message, 'forbidden', options)
  }
}

export function sessionEnded(): UnauthorizedError {
  return new UnauthorizedError('Your session has ended. Sign in again.')
}

/** A call by a program whose token opens nothing; what people sign in with is a session. */
export function unknownToken(): UnauthorizedError {
  return new UnauthorizedError('This token is unknown here, has expired or was revoked. Make a new one.')
}

/** A call by an API token that was not made for it. */
export function missingScope(scope: TokenScope): ForbiddenError {
  return new ForbiddenError(`This API token lacks the scope “${scope}”. Make one that has it.`, {
    code: 'scope_missing',
  })
}

/** 404: not there, or another person's. */
export class NotFoundError extends AppError {
  override readonly status = 404
  constructor(message: string | Sentence, options?: AppErrorOptions) {
    super(message, 'not_found', options)
  }
}

/** 405: the address has other methods, which the header Allow names. */
export class MethodNotAllowedError extends AppError {
  override readonly status = 405
  constructor(message: string) {
    super(message, 'method_not_allowed')
  }
}

/** 409: something that already exists is in the way. */
export class ConflictError extends AppError {
  override readonly status = 409
  constructor(message: string | Sentence, options?: AppErrorOptions) {
    super(message, 'conflict', options)
  }
}

/** 412: a header that says under which condition the request makes sense is missing or wrong. */
export class PreconditionFailedError extends AppError {
  override readonly status = 412
  constructor(message: string | Sentence, options?: AppErrorOptions) {
    super(message, 'precondition_failed', options)
  }
}

/** 413: larger than the limit, which the sentence names. */
export class PayloadTooLargeError extends AppError {
  override readonly status = 413
  constructor(message: string | Sentence, options?: AppErrorOptions) {
    super(message, 'payload_too_large', options)
  }
}

/** 460: what arrived is not what its sender says (tus). */
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

/** 429: too many; `retryAfterSeconds` says when to come back. */
export class TooManyRequestsError extends AppError {
  override readonly status = 429
  constructor(message: string | Sentence, options?: AppErrorOptions) {
    super(message, 'too_many_requests', options)
  }
}

/** Options of an EngineError. */
export interface EngineErrorOptions extends AppErrorOptions {
  /** True when the same call fails until the server, its settings or the input change. */
  isLasting?: boolean
  /** The status that the engine's own server answered with. */
  serverStatus?: number | undefined
}

/** 502: the engine behind a capability failed; the sentence says how. */
export class EngineError extends AppError {
  override readonly status = 502
  readonly isLasting: boolean
  readonly serverStatus: number | undefined
  constructor(message: string | Sentence, options: EngineErrorOptions = {}) {
    super(message, 'model_error', options)
    this.isLasting = options.isLasting ?? false
    this.serverStatus = options.serverStatus
  }
}

/** 503: a needed engine or service is not there; the sentence says which and why. */
export class UnavailableError extends AppError {
  override readonly status = 503
  constructor(message: string | Sentence, options?: AppErrorOptions) {
    super(message, 'unavailable', options)
  }
}

/** 507: no room left where files or rows are stored. */
export class StorageFullError extends AppError {
  override readonly status = 507
  constructor(message: string | Sentence = say('storage_full', {}), options?: AppErrorOptions) {
    super(message, 'storage_full', options)
  }
}

/** The server cannot start: one sentence for the person who started it; the process prints it and exits with 1. */
export class StartupError extends Error {
  override name = 'StartupError'
}

/** An AppError as plain data, for the response and for other processes. */
export interface SerializedError extends Omit<AppErrorOptions, 'cause'> {
  status: number
  message: string
  code: string
}

export function serializeError({ status, message, code, errors, retryAfterSeconds, told }: AppError): SerializedError {
  return { status, message, code, told, ...(errors && { errors }), ...(retryAfterSeconds && { retryAfterSeconds }) }
}

const classOfStatus = new Map(
  [
    ...[BadRequestError, UnauthorizedError, ForbiddenError, NotFoundError, ConflictError, PreconditionFailedError],
    ...[PayloadTooLargeError, UnsupportedTypeError, ValidationError, TooManyRequestsError, EngineError],
    ...[UnavailableError, StorageFullError],
  ].map((Kind) => [new Kind('').status, Kind]),
)

/** The error that was sent, of its own class again. */
export function appErrorOf({ status, message, ...options }: SerializedError): AppError {
  const Kind = classOfStatus.get(status)
  return Kind ? new Kind(message, options) : new AppError(message, options.code, options)
}

export function sentenceOf({ message, told }: AppError): Sentence {
  return { text: message, told }
}

/** True when the same work fails until something changes; false for temporary failures. */
export function isLasting(error: unknown): boolean {
  if (error instanceof EngineError) return error.isLasting
  return error instanceof AppError && [413, 415, 422].includes(error.status)
}

/** A remote store refuses or does not answer; the message says what to do. */
export class RemoteStoreError extends Error {
  override name = 'RemoteStoreError'
}
