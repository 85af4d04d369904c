import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'

/** Parser for supertest that returns a body as bytes. */
export const readBinary = ((response: Readable, done: (error: Error | null, body: Buffer) => void) => {
  void buffer(response).then((body) => done(null, body))
}) as never
