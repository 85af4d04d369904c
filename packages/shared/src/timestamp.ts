import { z } from 'zod'

/** A moment in time: ISO 8601 in UTC on the wire, a `Date` in the server. */
export const timestampSchema = z
  .codec(z.iso.datetime({ offset: true }), z.date(), {
    decode: (text) => new Date(text),
    encode: (date) => date.toISOString(),
  })
  .meta({ description: 'ISO 8601, UTC' })
