import { AppError, EngineError } from '../../../errors.ts'
import { asAppError } from '../../../platform/http/error-handler.ts'

/** An error as the protocol tells it. */
export interface ProtocolError {
  error: { message: string; type: string; param: string | null; code: string | null }
}

/** HTTP statuses for an engine's error codes, where the protocol has one. */
const engineStatuses: Record<string, number> = {
  context_too_long: 400,
  vision_unavailable: 400,
  tools_refused: 400,
  capability_missing: 400,
  model_not_found: 404,
  model_rate_limited: 429,
  model_timeout: 504,
}
const protocolCodes: Record<string, string> = { context_too_long: 'context_length_exceeded' }

const types: Record<number, string> = {
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
}

/** The status that an error has here: what fails validation is a malformed request. */
export function statusOf(error: unknown): number {
  const appError = asAppError(error)
  if (appError === null) return 500
  if (appError.status === 422) return 400
  return (
    engineStatuses[appError.code] ??
    (appError.code === 'model_error' ? serverStatusOf(appError) : null) ??
    appError.status
  )
}

/**
 * The status of a model's server as it is passed on: a refused request stays one, since programs send again what failed with
 * 5xx. Its own trouble with Mira's key isn't the program's, whose key is another one.
 */
function serverStatusOf(error: AppError): number | null {
  const status = error instanceof EngineError ? error.serverStatus : undefined
  if (status === undefined || [401, 403, 407, 408].includes(status)) return null
  if (status === 503 || status === 529) return 503
  if (status < 400 || status >= 500) return null
  return [402, 409, 413].includes(status) ? status : 400
}

/** Headers that say whether it's worth asking again. */
export function retryHeadersOf(error: unknown): Record<string, string> {
  const appError = asAppError(error)
  const { retryAfterSeconds } = appError ?? {}
  return {
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    // read by OpenAI's own clients
    ...(appError instanceof EngineError && appError.isLasting ? { 'x-should-retry': 'false' } : {}),
  }
}

/** An error in the protocol's words; one that nobody foresaw says nothing of itself. */
export function errorBody(error: unknown): ProtocolError {
  const appError = asAppError(error) ?? new AppError('Internal server error', 'internal_error')
  const status = statusOf(error)
  return {
    error: {
      message: appError.message,
      type: types[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error'),
      param: appError.errors?.[0]?.path ?? null,
      code: protocolCodes[appError.code] ?? appError.code,
    },
  }
}
