import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { MethodNotAllowedError, NotFoundError } from '../../errors.ts'
import type { DeclaredRoute } from './access.ts'

/** Routes of every address that has none of its own: of the web app, of /v1, and of preflights. */
const CATCH_ALL = new Set(['/*', '/v1/*', '*'])

/**
 * Answers a method that an address doesn't have with those that it has: OPTIONS with 204, others with 405. Must come before
 * what asks who calls.
 */
export function createOtherMethodsHook(app: FastifyInstance) {
  let methodsOf: ((path: string) => string[]) | undefined
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    if ((!request.is404 && !CATCH_ALL.has(request.routeOptions.url ?? '')) || isPreflight(request)) return undefined
    methodsOf ??= createMethodsOf(app.declaredRoutes)
    const methods = isForPeople(request) ? [] : methodsOf(request.url)
    if (methods.length > 0 && !methods.includes(request.method)) {
      reply.header('allow', methods.join(', '))
      if (request.method === 'OPTIONS') return reply.code(204).send()
      throw new MethodNotAllowedError(`This address only takes ${methods.join(', ')}.`)
    }
    if (request.method === 'OPTIONS') throw new NotFoundError('There is nothing at this address.')
    return undefined
  }
}

const isPreflight = ({ method, headers }: FastifyRequest) =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined

/** True for a browser that opens an address outside of the interfaces: the web app shows its page there. */
function isForPeople({ method, url, headers }: FastifyRequest): boolean {
  return method === 'GET' && headers.accept?.includes('text/html') === true && !/^\/(?:api|v1)\//.test(url)
}

/** Finds the methods of an address among the routes, of those with the most words of its own. */
function createMethodsOf(routes: DeclaredRoute[]): (path: string) => string[] {
  const methodsByUrl = Map.groupBy(
    routes.filter(({ url }) => !CATCH_ALL.has(url)),
    ({ url }) => url,
  )
  const patterns = [...methodsByUrl].map(([url, declared]) => {
    const parts = url.split('/').slice(1)
    return { parts, methods: declared.map(({ method }) => method).sort(), openParts: parts.filter(isOpen).length }
  })
  patterns.sort((a, b) => a.openParts - b.openParts)
  return (path) => {
    const parts = (path.split('?', 1)[0] ?? '').split('/').filter((part) => part !== '')
    return patterns.find((pattern) => fits(parts, pattern.parts))?.methods ?? []
  }
}

const isOpen = (part: string) => part === '*' || part.startsWith(':')

function fits(parts: string[], pattern: string[]): boolean {
  if (pattern.at(-1) === '*' ? parts.length < pattern.length : parts.length !== pattern.length) return false
  return pattern.every((part, index) => isOpen(part) || part === parts[index])
}
