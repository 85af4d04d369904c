import { type DestinationStream, type Logger, pino } from 'pino'

/** A structured log: fields first, then a sentence. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>

const DEEPEST_CAUSE = 5

/** Loggable parts of an error: never its other fields, because the database's quote whole rows there. */
function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return error
  const { name, cause } = error
  // Prisma's are quotes of the whole call; what is wrong with it stands in their last line
  const message = name === 'PrismaClientValidationError' ? error.message.split('\n').at(-1) : error.message
  return {
    type: name,
    message,
    stack: error.stack?.replace(error.message, () => message ?? ''),
    ...('code' in error ? { code: error.code } : {}),
    ...(cause === undefined || depth === DEEPEST_CAUSE ? {} : { cause: describeError(cause, depth + 1) }),
    ...(error instanceof AggregateError
      ? { errors: error.errors.map((error) => describeError(error, depth + 1)) }
      : {}),
  }
}

/** One JSON line an entry, on standard output or what is given; credentials never reach it. */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    serializers: { err: describeError, cause: describeError },
    redact: {
      // the reader of forms writes the headers that it is given, at the level trace
      paths: ['*.headers.authorization', '*.headers.cookie', '*.password', '*.token', '*.apiKey'],
      censor: '[hidden]',
    },
  }
  return destination ? pino(options, destination) : pino(options)
}
