import { Worker } from 'node:worker_threads'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { BadRequestError, PayloadTooLargeError, UnavailableError } from '../../errors.ts'

export type FromJsonWorker = { kind: 'value'; value: unknown } | { kind: 'malformed' } | { kind: 'overfull' }

/** A smaller body is read in a few milliseconds where it is. */
const LARGE_BYTES = 1024 * 1024
/** Each may take three times its size in memory while it is read. */
const AT_ONCE = 4
/** One that is sent slowly holds its place for as long as the server waits for requests. */
const AT_ONCE_FOR_ONE = 2
const TIMEOUT_MS = 20_000
const MEMORY_LIMIT_MB = 512

/**
 * Reads large JSON bodies of the routes of this scope in a thread of their own: pictures as base64 would hold the event
 * loop for a sixth of a second. How large one may be, each route says with `bodyLimit`.
 */
export function readLargeJson(app: FastifyInstance): void {
  const leaveByRequest = new WeakMap<FastifyRequest, () => void>()
  const runningByClient = new Map<string, number>()
  let running = 0

  /** Counts a request that may hold much until it is read or over. @throws UnavailableError */
  const enter = (request: FastifyRequest, reply: FastifyReply) => {
    const client = request.principal?.user.id ?? request.ip
    const ofClient = runningByClient.get(client) ?? 0
    if (running >= AT_ONCE || ofClient >= AT_ONCE_FOR_ONE) {
      throw new UnavailableError('Too many large messages are arriving right now. Try again in a moment.', {
        code: 'busy',
        retryAfterSeconds: 5,
      })
    }
    running++
    runningByClient.set(client, ofClient + 1)
    let isIn = true
    const leave = () => {
      if (!isIn) return
      isIn = false
      running--
      const others = (runningByClient.get(client) ?? 1) - 1
      if (others > 0) runningByClient.set(client, others)
      else runningByClient.delete(client)
    }
    leaveByRequest.set(request, leave)
    reply.raw.once('close', leave)
  }

  app.addHook('preParsing', async (request, reply) => {
    // as the framework compares it
    const isJson = request.headers['content-type']?.trim().toLowerCase().startsWith('application/json') === true
    // one that does not say how long it is may be long
    const length = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY)
    if (isJson && length > LARGE_BYTES) enter(request, reply)
  })

  const readSmall = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const content = body as Buffer<ArrayBuffer>
    if (content.length <= LARGE_BYTES) {
      leaveByRequest.get(request)?.()
      return readSmall(request, content.toString('utf8'), done)
    }
    parseInThread(content)
      .finally(() => leaveByRequest.get(request)?.())
      .then((value) => done(null, value), done)
  })
}

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
    const overfull = () => new PayloadTooLargeError('What you sent holds too much.')
    const fail = (cause?: unknown) => {
      const isOverfull = cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY'
      reject(isOverfull ? overfull() : new UnavailableError('The message could not be read. Try again.', { cause }))
    }
    const timer = setTimeout(() => {
      fail()
      void worker.terminate()
    }, TIMEOUT_MS)
    worker.on('message', (answer: FromJsonWorker) => {
      if (answer.kind === 'value') resolve(answer.value)
      else if (answer.kind === 'overfull') reject(overfull())
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
