import { type DestinationStream, type Logger, pino } from 'pino'

/** Structured log: fields first, then a message. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>

const MAX_CAUSE_DEPTH = 5

/** Parts of an error that may be logged. All other fields are left out, since those of database errors contain whole rows. */
function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return error
  const { name, cause } = error
  // Prisma quotes the whole call; only the last line says what's wrong with it.
  const message = name === 'PrismaClientValidationError' ? error.message.split('\n').at(-1) : error.message
  return {
    type: name,
    message,
    stack: error.stack?.replace(error.message, () => message ?? ''),
    ...('code' in error ? { code: error.code } : {}),
    ...(cause === undefined || depth === MAX_CAUSE_DEPTH ? {} : { cause: describeError(cause, depth + 1) }),
    ...(error instanceof AggregateError
      ? { errors: error.errors.map((error) => describeError(error, depth + 1)) }
      : {}),
  }
}

/** Log with one JSON line per entry, on standard output unless a destination is given; credentials are redacted. */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    serializers: { err: describeError, cause: describeError },
    redact: {
      // @fastify/multipart logs the request's headers at level trace.
      paths: ['*.headers.authorization', '*.headers.cookie', '*.password', '*.token', '*.apiKey'],
      censor: '[hidden]',
    },
  }
  return destination ? pino(options, destination) : pino(options)
}
