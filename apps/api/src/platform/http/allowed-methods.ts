import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { MethodNotAllowedError, NotFoundError } from '../../errors.ts'
import type { DeclaredRoute } from './access.ts'

/** Catch-all routes: of the web app, of /v1, and for preflights. */
const CATCH_ALL = new Set(['/*', '/v1/*', '*'])

/**
 * Creates a hook that answers methods that a path doesn't support with a list of those that it does support: with 204 for
 * OPTIONS, and 405 for others. Register it before authentication.
 */
export function createOtherMethodsHook(app: FastifyInstance) {
  let methodsOf: ((path: string) => string[]) | undefined
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    if ((!request.is404 && !CATCH_ALL.has(request.routeOptions.url ?? '')) || isPreflight(request)) return undefined
    methodsOf ??= createMethodsOf(app.declaredRoutes)
    const methods = isPageRequest(request) ? [] : methodsOf(request.url)
    if (methods.length > 0 && !methods.includes(request.method)) {
      reply.header('allow', methods.join(', '))
      if (request.method === 'OPTIONS') return reply.code(204).send()
      throw new MethodNotAllowedError(`This address only supports ${methods.join(', ')}.`)
    }
    if (request.method === 'OPTIONS') throw new NotFoundError('There is nothing at this address.')
    return undefined
  }
}

const isPreflight = ({ method, headers }: FastifyRequest) =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined

/** True when a browser opens a path outside the APIs, where the web app shows its page. */
function isPageRequest({ method, url, headers }: FastifyRequest): boolean {
  return method === 'GET' && headers.accept?.includes('text/html') === true && !/^\/(?:api|v1)\//.test(url)
}

/** Finds the methods of a path in the most specific matching route. */
function createMethodsOf(routes: DeclaredRoute[]): (path: string) => string[] {
  const methodsByUrl = Map.groupBy(
    routes.filter(({ url }) => !CATCH_ALL.has(url)),
    ({ url }) => url,
  )
  const patterns = [...methodsByUrl].map(([url, declared]) => {
    const parts = url.split('/').slice(1)
    return { parts, methods: declared.map(({ method }) => method).sort(), wildcards: parts.filter(isWildcard).length }
  })
  patterns.sort((a, b) => a.wildcards - b.wildcards)
  return (path) => {
    const parts = (path.split('?', 1)[0] ?? '').split('/').filter((part) => part !== '')
    return patterns.find((pattern) => matches(parts, pattern.parts))?.methods ?? []
  }
}

const isWildcard = (part: string) => part === '*' || part.startsWith(':')

function matches(parts: string[], pattern: string[]): boolean {
  if (pattern.at(-1) === '*' ? parts.length < pattern.length : parts.length !== pattern.length) return false
  return pattern.every((part, index) => isWildcard(part) || part === parts[index])
}
