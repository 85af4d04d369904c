import { type DestinationStream, type Logger, pino } from 'pino'

/** A structured log: fields first, then a sentence. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>

/** One JSON line an entry, on standard output or what is given; credentials never reach it. */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    redact: {
      paths: ['req.headers.authorization', 'req.headers.cookie', '*.password', '*.token', '*.apiKey'],
      censor: '[hidden]',
    },
  }
  return destination ? pino(options, destination) : pino(options)
}
