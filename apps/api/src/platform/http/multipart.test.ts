import { request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import multipart from '@fastify/multipart'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { asAppError, setErrorHandler } from './error-handler.ts'
import { readFormFields, readUpload } from './multipart.ts'

let app: FastifyInstance
let isStillAllowed: () => Promise<boolean>
let failures: unknown[]
const discard = vi.fn(async () => {})
const receive = vi.fn(async (content: AsyncIterable<Uint8Array>) => {
  for await (const _piece of content);
  return { discard }
})

beforeEach(async () => {
  vi.clearAllMocks()
  isStillAllowed = async () => true
  failures = []
  app = Fastify()
  setErrorHandler(app)
  app.addHook('onRequest', async (request) =>
    Object.assign(request, { isStillAllowed: () => isStillAllowed(), authenticatedAt: Number.NEGATIVE_INFINITY }),
  )
  app.addHook('onError', async (_request, _reply, error) => void failures.push(error))
  await app.register(multipart, { throwFileSizeLimit: false })
  app.post('/form', async (request) => readFormFields(request))
  app.post('/upload', async (request) => readUpload(request, { maxFileBytes: 1_000_000, receive }))
  await app.listen({ port: 0, host: '127.0.0.1' })
})
afterEach(() => app.close())

const urlOf = (path: string) => `http://127.0.0.1:${(app.server.address() as AddressInfo).port}${path}`

test('forms and uploads during a database outage get 503, and the upload is discarded', async () => {
  isStillAllowed = () => Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }))
  for (const path of ['/form', '/upload']) {
    const body = new FormData()
    body.append('text', 'x')
    if (path === '/upload') body.append('file', new Blob(['x']), 'x.txt')
    const response = await fetch(urlOf(path), { method: 'POST', body })
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ code: 'database_unavailable' })
  }
  expect(discard).toHaveBeenCalledOnce()
})

test('an upload aborted by its sender is an invalid form, not a database error', async () => {
  const request = httpRequest(urlOf('/upload'), {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=x', 'content-length': 10_000 },
  })
  request.on('error', () => {})
  request.write('--x\r\nContent-Disposition: form-data; name="file"; filename="x.txt"\r\n\r\nbegin')
  await expect.poll(() => receive.mock.calls.length).toBe(1)
  request.destroy()
  await expect.poll(() => failures.length).toBe(1)
  expect(asAppError(failures[0])).toMatchObject({ status: 400, code: 'invalid_form' })
})
