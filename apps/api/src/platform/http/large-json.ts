import { isUtf8 } from 'node:buffer'
import { Worker } from 'node:worker_threads'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { BadRequestError, PayloadTooLargeError, UnavailableError } from '../../errors.ts'
import { createSemaphore } from '../lib/semaphore.ts'
import { holdsTooMuch } from './json-shape.ts'

export type FromJsonWorker = { kind: 'value'; value: unknown } | { kind: 'malformed' } | { kind: 'overfull' }

/** A smaller body is read in a few milliseconds where it is. */
const LARGE_BYTES = 1024 * 1024
const LARGEST_BYTES = 64 * 1024 * 1024
/** Each may take three times its size in memory while it is parsed. */
const PARSED_AT_ONCE = 4
const ARRIVALS_OF_ONE = 2
/** While this many arrive, each client has one. */
const SHARED_ARRIVALS = 4
/** Limit of forms, and of public routes without one of their own. */
const SMALL_BYTES = 64 * 1024
const TIMEOUT_MS = 20_000
const MEMORY_LIMIT_MB = 512
const BUSY = 'Too many large messages are arriving right now. Try again in a moment.'

/**
 * Reads JSON bodies: those of very many values or deep nesting are refused before they are parsed, and large ones are
 * parsed in a thread of their own, since pictures as base64 would hold the event loop for a sixth of a second. How large
 * one may be, each route says with `bodyLimit`; forms and what is sent to public routes are small.
 */
export function readJson(app: FastifyInstance): void {
  const parsing = createSemaphore({ permits: PARSED_AT_ONCE, perUser: ARRIVALS_OF_ONE, busy: BUSY })
  const leaveByRequest = new WeakMap<FastifyRequest, () => void>()
  const arrivalsByClient = new Map<string, number>()
  let arrivals = 0

  const clientOf = (request: FastifyRequest) => request.principal?.user.id ?? request.ip

  /**
   * Counts a request that may hold much until it is read or over. One that is sent slowly is there for as long as the
   * server waits for it: nobody is refused a first one for the sake of those.
   * @throws UnavailableError
   */
  const arrive = (request: FastifyRequest, reply: FastifyReply) => {
    const client = clientOf(request)
    const ofClient = arrivalsByClient.get(client) ?? 0
    if (ofClient >= ARRIVALS_OF_ONE || (ofClient > 0 && arrivals >= SHARED_ARRIVALS)) {
      throw new UnavailableError(BUSY, { code: 'busy', retryAfterSeconds: 5 })
    }
    arrivals++
    arrivalsByClient.set(client, ofClient + 1)
    let isIn = true
    const leave = () => {
      if (!isIn) return
      isIn = false
      arrivals--
      const others = (arrivalsByClient.get(client) ?? 1) - 1
      if (others > 0) arrivalsByClient.set(client, others)
      else arrivalsByClient.delete(client)
    }
    leaveByRequest.set(request, leave)
    reply.raw.once('close', leave)
  }

  app.addHook('onRoute', (route) => {
    if (route.config?.access === 'public') route.bodyLimit ??= SMALL_BYTES
  })

  // before its answer is sent, so that a client's next one isn't refused for the sake of one that is over
  app.addHook('onSend', async (request) => leaveByRequest.get(request)?.())

  app.addHook('preParsing', async (request, reply) => {
    // as the framework compares it
    const contentType = request.headers['content-type']?.trim().toLowerCase()
    // one that is sent in pieces may be long
    const isInPieces = request.headers['transfer-encoding'] !== undefined
    const length = isInPieces ? Number.POSITIVE_INFINITY : Number(request.headers['content-length'] ?? 0)
    const max = Math.min(length, request.routeOptions.bodyLimit)
    if (contentType?.startsWith('application/x-www-form-urlencoded') && max > SMALL_BYTES) {
      throw tooLarge()
    }
    if (contentType?.startsWith('text/plain') && max > LARGE_BYTES) throw tooLarge()
    if (contentType?.startsWith('application/json') && max > LARGE_BYTES) {
      // a route that takes files takes them as something else
      if (max > LARGEST_BYTES) throw tooLarge()
      arrive(request, reply)
    }
  })

  const readSmall = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const content = body as Buffer<ArrayBuffer>
    // some programs send their system's encoding, whose letters would be lost
    if (!isUtf8(content)) {
      leaveByRequest.get(request)?.()
      return done(new BadRequestError('The request body is not UTF-8, which JSON has to be.', { code: 'invalid_json' }))
    }
    if (content.length <= LARGE_BYTES) {
      leaveByRequest.get(request)?.()
      if (holdsTooMuch(content)) return done(tooMuch())
      return readSmall(request, content.toString('utf8'), done)
    }
    parsing
      .run(() => parseInThread(content), { userId: clientOf(request) })
      .finally(() => leaveByRequest.get(request)?.())
      .then((value) => done(null, value), done)
  })
}

const tooLarge = () => new PayloadTooLargeError('What you sent is too large.')
const tooMuch = () => new PayloadTooLargeError('What you sent holds too much.')

/**
 * Parses JSON in a thread; the bytes go there and are gone here.
 * @throws BadRequestError when it is malformed, or names what objects are made of, PayloadTooLargeError when it holds
 * more values than any message.
 */
function parseInThread(content: Buffer<ArrayBuffer>): Promise<unknown> {
  const worker = new Worker(new URL('./large-json-worker.ts', import.meta.url), {
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_LIMIT_MB },
  })
  // one that is smaller than its memory shares that with others
  const bytes = content.byteLength === content.buffer.byteLength ? content : Buffer.from(new Uint8Array(content).buffer)
  return new Promise<unknown>((resolve, reject) => {
    const fail = (cause?: unknown) => {
      const isOverfull = cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY'
      reject(isOverfull ? tooMuch() : new UnavailableError('The message could not be read. Try again.', { cause }))
    }
    const timer = setTimeout(() => {
      fail()
      void worker.terminate()
    }, TIMEOUT_MS)
    worker.on('message', (answer: FromJsonWorker) => {
      if (answer.kind === 'value') resolve(answer.value)
      else if (answer.kind === 'overfull') reject(tooMuch())
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
