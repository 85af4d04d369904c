import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'

/** Has supertest keep a body as its bytes. */
export const readBinary = ((response: Readable, done: (error: Error | null, body: Buffer) => void) => {
  void buffer(response).then((body) => done(null, body))
}) as never
