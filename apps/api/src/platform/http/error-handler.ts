import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionError, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import {
  AppError,
  BadRequestError,
  NotFoundError,
  PayloadTooLargeError,
  sentenceOf,
  sessionEndedError,
  UnavailableError,
  UnsupportedTypeError,
  ValidationError,
} from '../../errors.ts'
import { isAccountGone, isDatabaseConflict, isDatabaseUnavailable } from '../database/availability.ts'
import { forCaller } from '../messages/audience.ts'

/** Maximum number of reported validation errors of a request. */
const MAX_ISSUES = 20
/** Suggested delay before a retry while the database is unavailable: a restart takes less time, a failover more. */
const DATABASE_RETRY_SECONDS = 2

/** Responds to every failure with `{detail, code, errors?}`; only unexpected ones are logged as errors, with the request id. */
export function setErrorHandler(app: FastifyInstance): void {
  // logs here, because some protocols replace the error handler
  app.addHook('onError', async (request, reply, error) => {
    // remove the content type of a stream that failed before its first byte
    reply.removeHeader('content-type')
    const isReaderGone = reply.raw.destroyed && error.code === 'ERR_STREAM_PREMATURE_CLOSE'
    if (asAppError(error) === null && !isReaderGone) request.log.error({ err: error }, 'unexpected error')
  })
  app.setErrorHandler((error, request, reply) => {
    const appError = asAppError(error)
    if (appError === null) {
      return reply.code(500).send({ detail: 'Internal server error', code: 'internal_error' })
    }
    if (appError.status >= 500) request.log.warn({ code: appError.code, cause: error }, appError.message)
    if (appError.retryAfterSeconds !== undefined) reply.header('retry-after', String(appError.retryAfterSeconds))
    const { status, code, errors } = appError
    return reply.code(status).send({ detail: forCaller(sentenceOf(appError)).text, code, ...(errors && { errors }) })
  })
  app.setNotFoundHandler((_request, reply) =>
    reply.code(404).send({ detail: 'There is nothing at this address.', code: 'not_found' }),
  )
}

/** Responds to paths that the router refuses before any hook runs: undecodable ones, or ones with a too long segment. */
export function respondToMalformedUrl(_error: FastifyError, _request: FastifyRequest, reply: FastifyReply): void {
  void reply
    .code(400)
    .headers({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' })
    .send({ detail: 'This address is malformed.', code: 'bad_request' })
}

const brokenRequests: Record<string, [status: number, detail: string, code: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'The address or the headers of this request are too long.', 'headers_too_large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'This request took too long to arrive.', 'request_timeout'],
}

/** Responds to requests that the HTTP parser refuses: headers that are too long, too slow or malformed. */
export function respondToUnparsableRequest(error: ConnectionError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const [status, detail, code] = brokenRequests[error.code] ?? [400, 'The request can’t be parsed.', 'bad_request']
  const body = JSON.stringify({ detail, code })
  if (socket.writable) {
    socket.write(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
        `X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\nConnection: close\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
  }
  socket.destroy()
}

/** The error in a form for callers; null for unexpected errors. */
export function asAppError(error: unknown): AppError | null {
  if (error instanceof AppError) return error
  if (error instanceof z.ZodError)
    return validationError(error, 'validationContext' in error && error.validationContext)
  // the account was deleted while its request was under way
  if (isAccountGone(error)) return sessionEndedError()
  if (isDatabaseUnavailable(error) || isDatabaseConflict(error))
    return new UnavailableError('The database can’t be reached right now. Try again in a moment.', {
      code: 'database_unavailable',
      retryAfterSeconds: DATABASE_RETRY_SECONDS,
    })
  if (isFastifyError(error)) {
    if (error.statusCode === 413) return new PayloadTooLargeError('What you sent is too large.')
    if (error.statusCode === 415)
      return new UnsupportedTypeError(
        'This content type is not accepted here. JSON is sent as application/json, files as multipart/form-data.',
      )
    if (error.code?.startsWith('FST_ERR_CTP_') || error instanceof SyntaxError)
      return new BadRequestError('The request body is not valid JSON.', { code: 'invalid_json' })
    if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500)
      return new BadRequestError(error.message)
  }
  return null
}

function isFastifyError(error: unknown): error is FastifyError {
  return error instanceof Error && 'statusCode' in error && 'code' in error
}

function validationError(error: z.ZodError, context: unknown): AppError {
  const errors = error.issues
    .slice(0, MAX_ISSUES)
    .map((issue) => ({ path: issue.path.join('.'), message: issue.message }))
  // a malformed id in the path can't belong to anything
  if (context === 'params') return new NotFoundError('There is nothing at this address.')
  const detail = errors.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join(' ')
  return new ValidationError(detail, { errors })
}
