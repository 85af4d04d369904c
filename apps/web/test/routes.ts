import type { ContractKey, ResponseOf } from '@mira/shared/contract/calls'
import { beforeEach, type Mock, vi } from 'vitest'
import { ApiError } from '../src/lib/api/client.ts'

/** A request's path parameters, query as text, and JSON body. */
interface RouteRequest {
  params?: Record<string, string>
  query?: Record<string, string>
  json?: unknown
}

type RouteMock<Key extends ContractKey> = Mock<(request: RouteRequest) => Promise<ResponseOf<Key>>>

const mocks = new Map<string, Mock<(request: RouteRequest) => Promise<unknown>>>()

beforeEach(() => {
  mocks.clear()
  vi.stubGlobal('fetch', respond)
})

/** Mock of a route, called with each request. Register it before the request;
 * without a mocked response it never responds; a whole `Response` is sent as it is. */
export function route<Key extends ContractKey>(key: Key): RouteMock<Key> {
  const mock = mocks.get(key) ?? vi.fn(() => new Promise<unknown>(() => {}))
  mocks.set(key, mock)
  return mock as unknown as RouteMock<Key>
}

async function respond(url: string, { method = 'GET', body, signal }: RequestInit): Promise<Response> {
  const { pathname, searchParams } = new URL(url, 'http://mira.test')
  const aborted = new Promise<never>((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason))
  })
  // A path without parameters wins over one with them.
  const byParams = [...mocks].sort(([one], [other]) => one.split(':').length - other.split(':').length)
  for (const [key, mock] of byParams) {
    const params = paramsOf(key, `${method} ${pathname.replace(/^\/api/, '')}`)
    if (params === null) continue
    const query = Object.fromEntries(searchParams)
    const request = {
      ...(Object.keys(params).length > 0 && { params }),
      ...(Object.keys(query).length > 0 && { query }),
      ...(typeof body === 'string' && { json: JSON.parse(body) as unknown }),
    }
    try {
      const result = await Promise.race([mock(request), aborted])
      if (result instanceof Response) return result
      return result === undefined ? new Response(null, { status: 204 }) : Response.json(result)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const { code, message: detail, errors, status } = error
      return Response.json({ code, detail, errors }, { status })
    }
  }
  return aborted
}

/** Path parameters of a route; null for a path of another route. */
function paramsOf(key: string, address: string): Record<string, string> | null {
  const [names, parts] = [key, address].map((text) => text.split(/[ /]/)) as [string[], string[]]
  if (names.length !== parts.length) return null
  const params: Record<string, string> = {}
  for (const [index, name] of names.entries()) {
    const part = parts[index] ?? ''
    if (name.startsWith(':')) params[name.slice(1)] = decodeURIComponent(part)
    else if (name !== part) return null
  }
  return params
}
