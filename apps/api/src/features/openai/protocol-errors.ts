import { AppError } from '../../errors.ts'
import { asAppError } from '../../http/error-handler.ts'

/** An error as the protocol tells it. */
export interface ProtocolError {
  error: { message: string; type: string; param: string | null; code: string | null }
}

/** What an engine refused, by its code, where the protocol has a status of its own. */
const engineStatuses: Record<string, number> = {
  context_too_long: 400,
  vision_unavailable: 400,
  tools_refused: 400,
  model_not_found: 404,
  model_rate_limited: 429,
}
const protocolCodes: Record<string, string> = { context_too_long: 'context_length_exceeded' }

const types: Record<number, string> = {
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
}

/** The status that an error has here: what fails validation is a malformed request. */
export function statusOf(error: unknown): number {
  const known = asAppError(error)
  if (known === null) return 500
  if (known.status === 422) return 400
  return engineStatuses[known.code] ?? known.status
}

/** An error in the protocol's words; one that nobody foresaw says nothing of itself. */
export function errorBody(error: unknown): ProtocolError {
  const known = asAppError(error) ?? new AppError('Internal server error', 'internal_error')
  const status = statusOf(error)
  return {
    error: {
      message: known.message,
      type: types[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error'),
      param: known.errors?.[0]?.path ?? null,
      code: protocolCodes[known.code] ?? known.code,
    },
  }
}
