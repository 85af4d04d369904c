import { constants, gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** A smaller answer fits into the packets that are sent at once anyway. */
const MIN_CHARACTERS = 4_000
/** A larger one would hold up everybody else for more than some milliseconds. */
const MAX_BYTES = 500_000

/**
 * Sends long lists and the page compressed to who takes that: on a phone's line they take longer than all else. No page
 * of another origin can make a browser ask with somebody's token, so nobody can guess at contents by the length of
 * answers; the page itself holds nothing of anybody.
 */
export function compressResponses(app: FastifyInstance): void {
  app.addHook<unknown>('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || !['GET', 'HEAD'].includes(request.method)) return
    if (reply.hasHeader('content-encoding')) return
    if (!/^(application\/json|text\/html)/.test(String(reply.getHeader('content-type')))) return
    varyByEncoding(reply)
    if (!takesGzip(request)) return
    if (request.method === 'HEAD' || payload.length < MIN_CHARACTERS || Buffer.byteLength(payload) > MAX_BYTES) return
    // the pool of threads is where pictures are decoded: a list would wait there for many times as long
    const compressed = gzipSync(payload, { level: constants.Z_BEST_SPEED })
    reply.removeHeader('content-length').header('content-encoding', 'gzip')
    return compressed
  })
}

/** Sends a JSON text that never changes, compressed once for everybody who takes that. */
export function createConstantAnswer(text: string): (request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  const compressed = gzipSync(text)
  return (request, reply) => {
    reply.type('application/json; charset=utf-8')
    if (!takesGzip(request)) return reply.send(text)
    varyByEncoding(reply)
    return reply.header('content-encoding', 'gzip').send(compressed)
  }
}

const takesGzip = ({ headers }: FastifyRequest) =>
  /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(headers['accept-encoding'] ?? '')

function varyByEncoding(reply: FastifyReply): void {
  reply.header('vary', [reply.getHeader('vary'), 'Accept-Encoding'].filter(Boolean).join(', '))
}
