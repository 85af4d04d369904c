import { type Logger, pino } from 'pino'

/** A structured log: fields first, then a sentence. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>

/** One JSON line an entry on standard output; credentials never reach it. */
export function createLog(level: string): Logger {
  return pino({
    level,
    redact: {
      paths: ['req.headers.authorization', 'req.headers.cookie', '*.password', '*.token', '*.apiKey'],
      censor: '[hidden]',
    },
  })
}
