import type { FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'

const loopbackAddress = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/
const loopbackHost = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i
const proxyHeaders = ['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via']

/**
 * True when a program on this machine calls without a proxy in between. The name it calls must be a local one as well:
 * a web page that was led here by its own name (DNS rebinding) is not meant.
 */
export function isDirectLoopback(request: Pick<FastifyRequest, 'headers' | 'raw'>): boolean {
  return (
    loopbackAddress.test(request.raw.socket.remoteAddress ?? '') &&
    loopbackHost.test(request.headers.host ?? '') &&
    proxyHeaders.every((name) => request.headers[name] === undefined)
  )
}

/**
 * True when people reach the server by another machine's name or through a proxy: a call from this machine may then be
 * anybody's, since not every proxy says that it is one.
 */
export function isPublished({ publicUrl, trustProxy }: Pick<Config, 'publicUrl' | 'trustProxy'>): boolean {
  return trustProxy !== false || (publicUrl !== undefined && !loopbackHost.test(new URL(publicUrl).host))
}
