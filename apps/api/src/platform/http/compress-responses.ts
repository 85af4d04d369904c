import { constants, gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** A smaller response fits into the first packets anyway. */
const MIN_CHARACTERS = 4_000
/** Compressing a larger one would block the event loop for more than a few milliseconds. */
const MAX_BYTES = 500_000

/**
 * Compresses JSON and HTML responses for clients that accept gzip: long lists are slow on mobile connections. Attackers
 * can't guess contents by the length of responses (BREACH), because other origins can't send a user's token, and the page
 * itself contains no user data.
 */
export function compressResponses(app: FastifyInstance): void {
  app.addHook<unknown>('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || !['GET', 'HEAD'].includes(request.method)) return
    if (reply.hasHeader('content-encoding')) return
    if (!/^(application\/json|text\/html)/.test(String(reply.getHeader('content-type')))) return
    varyByEncoding(reply)
    if (!acceptsGzip(request)) return
    if (request.method === 'HEAD' || payload.length < MIN_CHARACTERS || Buffer.byteLength(payload) > MAX_BYTES) return
    // synchronous, because in the thread pool, where pictures are decoded, a list would wait many times as long
    const compressed = gzipSync(payload, { level: constants.Z_BEST_SPEED })
    reply.removeHeader('content-length').header('content-encoding', 'gzip')
    return compressed
  })
}

/** Sends constant JSON, compressed once. */
export function createConstantResponse(text: string): (request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  const compressed = gzipSync(text)
  return (request, reply) => {
    reply.type('application/json; charset=utf-8')
    if (!acceptsGzip(request)) return reply.send(text)
    varyByEncoding(reply)
    return reply.header('content-encoding', 'gzip').send(compressed)
  }
}

const acceptsGzip = ({ headers }: FastifyRequest) =>
  /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(headers['accept-encoding'] ?? '')

function varyByEncoding(reply: FastifyReply): void {
  reply.header('vary', [reply.getHeader('vary'), 'Accept-Encoding'].filter(Boolean).join(', '))
}
