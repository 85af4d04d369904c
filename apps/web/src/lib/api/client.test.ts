import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { defaultSettings, settingsStore } from '../session/settings.ts'
import { storeToken, tokenStore } from '../session/token.ts'
import { ApiError, apiUrl, call, callPage, requestEvents } from './client.ts'

const fetchMock = vi.fn<typeof fetch>()

beforeEach(() => {
  vi.stubGlobal('fetch', fetchMock)
  vi.stubGlobal('document', { querySelector: () => null })
  vi.spyOn(console, 'error').mockReturnValue()
  settingsStore.set({ ...defaultSettings })
  storeToken('token-1')
})

afterEach(() => {
  fetchMock.mockReset()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const mockResponse = (body: unknown, init?: ResponseInit) => fetchMock.mockResolvedValueOnce(Response.json(body, init))
const sentHeaders = () => fetchMock.mock.calls[0]?.[1]?.headers

async function errorOf(call: Promise<unknown>): Promise<ApiError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(ApiError)
  return error as ApiError
}

describe('a call', () => {
  it('carries the token, the language and the time zone', async () => {
    settingsStore.set({ ...defaultSettings, language: 'de', timezone: 'America/Denver' })
    mockResponse({})
    await call('GET /auth/me')
    expect(sentHeaders()).toEqual({
      Authorization: 'Bearer token-1',
      'Accept-Language': 'de',
      'X-Time-Zone': 'America/Denver',
    })
  })

  it('carries a header when the user opts out of analytics', async () => {
    settingsStore.set({ ...defaultSettings, analytics: false })
    mockResponse({})
    await call('GET /auth/me')
    expect(sentHeaders()).toMatchObject({ 'X-Analytics': 'off' })
  })

  it('carries no token when no user is signed in', async () => {
    storeToken(null)
    mockResponse({})
    await call('GET /config')
    expect(sentHeaders()).not.toHaveProperty('Authorization')
  })

  it('sends JSON as JSON', async () => {
    mockResponse({})
    await call('PATCH /prompts/:id', { params: { id: 'a/b' }, json: { title: 'Ada' } })
    expect(fetchMock.mock.calls[0]?.[1]).toMatchObject({
      method: 'PATCH',
      body: '{"title":"Ada"}',
      headers: { 'Content-Type': 'application/json' },
    })
  })

  it('omits empty query parameters and repeats the name of a list', () => {
    expect(
      apiUrl('/media/search', { query: 'a b', cursor: null, limit: undefined, media_types: ['image', 'video'] }),
    ).toBe('/api/media/search?query=a+b&media_types=image&media_types=video')
  })

  it('goes to the host given in the page', () => {
    vi.stubGlobal('document', { querySelector: () => ({ content: 'https://api.example.org/' }) })
    expect(apiUrl('/auth/me')).toBe('https://api.example.org/api/auth/me')
  })

  it('reads the cursor of a bare list from its header', async () => {
    mockResponse([1, 2], { headers: { 'X-Next-Cursor': 'abc' } })
    expect(await callPage('GET /admin/users')).toEqual({ items: [1, 2], nextCursor: 'abc' })
    mockResponse([3])
    expect(await callPage('GET /admin/users')).toEqual({ items: [3], nextCursor: null })
  })
})

describe('a failed call', () => {
  it('throws the status, code, detail and fields of the response', async () => {
    const body = { detail: 'Taken.', code: 'username_taken', errors: [{ path: 'username', message: 'Taken.' }] }
    mockResponse(body, { status: 409, headers: { 'Retry-After': '7' } })
    const error = await errorOf(call('GET /admin/users'))
    expect({ ...error }).toMatchObject({ status: 409, ...body, retryAfterSeconds: 7 })
    expect(error.isTemporary).toBe(false)
  })

  it('has a generic code when the response isn’t from the API', async () => {
    fetchMock.mockResolvedValueOnce(new Response('<h1>Bad gateway</h1>', { status: 502 }))
    expect(await errorOf(call('GET /auth/me'))).toMatchObject({ status: 502, code: 'http', isTemporary: true })
  })

  it('says that a proxy refuses uploads of this size, which Mira’s own message would say with its limit', async () => {
    fetchMock.mockResolvedValueOnce(new Response('<h1>413 Request Entity Too Large</h1>', { status: 413 }))
    expect(await errorOf(call('GET /auth/me'))).toMatchObject({ code: 'proxy_too_large', isTemporary: false })
  })

  it('ends the session immediately on 401', async () => {
    mockResponse({ detail: 'Your session has ended.', code: 'unauthorized' }, { status: 401 })
    await errorOf(call('GET /auth/me'))
    expect(tokenStore.get()).toBeNull()
  })

  it('doesn’t end a session on 401 that started during the call', async () => {
    fetchMock.mockImplementationOnce(async () => {
      storeToken('token-2')
      return Response.json({ detail: '', code: 'unauthorized' }, { status: 401 })
    })
    await errorOf(call('GET /auth/me'))
    expect(tokenStore.get()).toBe('token-2')
  })

  it('throws a network error when the network is down', async () => {
    fetchMock.mockRejectedValueOnce(new TypeError('Failed to fetch'))
    expect(await errorOf(call('GET /auth/me'))).toMatchObject({ status: 0, code: 'network', isTemporary: true })
    expect(tokenStore.get()).toBe('token-1')
  })

  it('throws the abort error when it was aborted', async () => {
    const aborting = new AbortController()
    fetchMock.mockImplementationOnce(async (_, init) => {
      aborting.abort()
      throw init?.signal?.reason
    })
    await expect(call('GET /auth/me', { signal: aborting.signal })).rejects.toThrow(DOMException)
  })
})

describe('an event stream', () => {
  const streamOf = (...parts: string[]) =>
    new Response(
      new ReadableStream({
        start: (controller) => {
          for (const part of parts) controller.enqueue(new TextEncoder().encode(part))
          controller.close()
        },
      }),
    )

  it('yields each event, and reports any activity', async () => {
    fetchMock.mockResolvedValueOnce(streamOf(': ping\n\n', 'id: 1\ndata: {"a"', ':1}\n\n', 'data: [DONE]\n\n'))
    const onActivity = vi.fn()
    const events = []
    for await (const event of requestEvents('/events', {}, onActivity)) events.push(event)
    expect(events).toEqual([{ id: 1, data: '{"a":1}' }, { data: '[DONE]' }])
    expect(onActivity).toHaveBeenCalledTimes(4)
  })

  it('throws a network error when it can’t be requested or breaks', async () => {
    fetchMock.mockRejectedValueOnce(new TypeError('Failed to fetch'))
    expect(await errorOf(requestEvents('/events').next())).toMatchObject({ code: 'network' })
    const broken = new ReadableStream({ pull: (controller) => controller.error(new TypeError('network error')) })
    fetchMock.mockResolvedValueOnce(new Response(broken))
    expect(await errorOf(requestEvents('/events').next())).toMatchObject({ code: 'network' })
  })
})
