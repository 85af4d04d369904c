import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { asAppError } from './error-handler.ts'
import { readFormFields } from './multipart.ts'

test('a form that arrives while the database is away isn’t called broken, and may be sent again', async () => {
  const request = {
    isMultipart: () => true,
    // biome-ignore lint/correctness/useYield: it breaks off before the first part
    async *parts() {
      throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    },
  } as unknown as FastifyRequest
  const error = await readFormFields(request).then(
    () => null,
    (refusal: unknown) => refusal,
  )
  expect(asAppError(error)).toMatchObject({ status: 503, code: 'database_unavailable' })
})
