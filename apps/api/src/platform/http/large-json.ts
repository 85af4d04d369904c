import { isUtf8 } from 'node:buffer'
import { Worker } from 'node:worker_threads'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { BadRequestError, PayloadTooLargeError, UnavailableError } from '../../errors.ts'
import { createSemaphore } from '../lib/semaphore.ts'
import { withoutPort } from './client-address.ts'
import { exceedsLimits } from './json-shape.ts'

export type FromJsonWorker = { kind: 'value'; value: unknown } | { kind: 'malformed' } | { kind: 'overfull' }

/** A smaller body is parsed in place, within a few milliseconds. */
const LARGE_BYTES = 1024 * 1024
const MAX_BYTES = 64 * 1024 * 1024
/** Each body may take three times its size in memory during parsing. */
const MAX_PARSING = 4
const MAX_PER_CLIENT = 2
/** While this many large requests are open, each client may have only one. */
const SHARED_REQUESTS = 4
/** Body limit of forms, and of public routes without their own limit. */
const SMALL_BYTES = 64 * 1024
const TIMEOUT_MS = 20_000
const MEMORY_LIMIT_MB = 512
const BUSY = 'Too many large messages are arriving right now. Try again in a moment.'

/**
 * Parses JSON bodies. Those with too many or too deeply nested values are refused before parsing, and large ones are parsed
 * in a worker thread, because pictures as base64 would block the event loop for a sixth of a second. Each route sets its
 * `bodyLimit`; forms and bodies of public routes must be small.
 */
export function readJson(app: FastifyInstance): void {
  const parsing = createSemaphore({ permits: MAX_PARSING, perUser: MAX_PER_CLIENT, busy: BUSY })
  const releaseByRequest = new WeakMap<FastifyRequest, () => void>()
  const openByClient = new Map<string, number>()
  let openRequests = 0

  const clientOf = (request: FastifyRequest) => request.principal?.user.id ?? withoutPort(request.ip)

  /**
   * Counts a large request until it's parsed or closed. Slow requests may stay open for long, so they never block another
   * client's first request.
   * @throws UnavailableError
   */
  const admit = (request: FastifyRequest, reply: FastifyReply) => {
    const client = clientOf(request)
    const openOfClient = openByClient.get(client) ?? 0
    if (openOfClient >= MAX_PER_CLIENT || (openOfClient > 0 && openRequests >= SHARED_REQUESTS)) {
      throw new UnavailableError(BUSY, { code: 'busy', retryAfterSeconds: 5 })
    }
    openRequests++
    openByClient.set(client, openOfClient + 1)
    let isOpen = true
    const release = () => {
      if (!isOpen) return
      isOpen = false
      openRequests--
      const remaining = (openByClient.get(client) ?? 1) - 1
      if (remaining > 0) openByClient.set(client, remaining)
      else openByClient.delete(client)
    }
    releaseByRequest.set(request, release)
    reply.raw.once('close', release)
  }

  app.addHook('onRoute', (route) => {
    if (route.config?.access === 'public') route.bodyLimit ??= SMALL_BYTES
  })

  // before the response is sent, so that a client's next request isn't refused because of one that has ended
  app.addHook('onSend', async (request) => releaseByRequest.get(request)?.())

  app.addHook('preParsing', async (request, reply) => {
    // normalised in the same way as by Fastify
    const contentType = request.headers['content-type']?.trim().toLowerCase()
    // a chunked body has an unknown length
    const isChunked = request.headers['transfer-encoding'] !== undefined
    const length = isChunked ? Number.POSITIVE_INFINITY : Number(request.headers['content-length'] ?? 0)
    const max = Math.min(length, request.routeOptions.bodyLimit)
    if (contentType?.startsWith('application/x-www-form-urlencoded') && max > SMALL_BYTES) {
      throw tooLargeError()
    }
    if (contentType?.startsWith('text/plain') && max > LARGE_BYTES) throw tooLargeError()
    if (contentType?.startsWith('application/json') && max > LARGE_BYTES) {
      // a route with a higher limit takes files, but not as JSON
      if (max > MAX_BYTES) throw tooLargeError()
      admit(request, reply)
    }
  })

  const readSmall = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const content = body as Buffer<ArrayBuffer>
    // some programs use their system's encoding, from which characters would be lost
    if (!isUtf8(content)) {
      releaseByRequest.get(request)?.()
      return done(new BadRequestError('The request body is not UTF-8, which JSON has to be.', { code: 'invalid_json' }))
    }
    if (content.length <= LARGE_BYTES) {
      releaseByRequest.get(request)?.()
      if (exceedsLimits(content)) return done(tooManyValuesError())
      return readSmall(request, content.toString('utf8'), done)
    }
    parsing
      .run(() => parseInThread(content), { userId: clientOf(request) })
      .finally(() => releaseByRequest.get(request)?.())
      .then((value) => done(null, value), done)
  })
}

const tooLargeError = () => new PayloadTooLargeError('What you sent is too large.')
const tooManyValuesError = () =>
  new PayloadTooLargeError('What you sent contains too many values, or nests them too deeply.')

/**
 * Parses JSON in a worker thread, to which the bytes are transferred.
 * @throws BadRequestError when it's malformed or pollutes prototypes, PayloadTooLargeError when it has too many
 * or too deeply nested values.
 */
function parseInThread(content: Buffer<ArrayBuffer>): Promise<unknown> {
  const worker = new Worker(new URL('./large-json-worker.ts', import.meta.url), {
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_LIMIT_MB },
  })
  // a smaller buffer than its memory is part of a shared pool, which can't be transferred
  const bytes = content.byteLength === content.buffer.byteLength ? content : Buffer.from(new Uint8Array(content).buffer)
  return new Promise<unknown>((resolve, reject) => {
    const fail = (cause?: unknown) => {
      const isOverfull = cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY'
      reject(
        isOverfull
          ? tooManyValuesError()
          : new UnavailableError('The message could not be read. Try again.', { cause }),
      )
    }
    const timer = setTimeout(() => {
      fail()
      void worker.terminate()
    }, TIMEOUT_MS)
    worker.on('message', (message: FromJsonWorker) => {
      if (message.kind === 'value') resolve(message.value)
      else if (message.kind === 'overfull') reject(tooManyValuesError())
      else reject(new BadRequestError('The request body is not valid JSON.', { code: 'invalid_json' }))
    })
    worker.on('error', fail)
    worker.on('exit', () => {
      clearTimeout(timer)
      fail()
    })
    worker.postMessage(bytes, [bytes.buffer])
  })
}
