import type { MeJson } from '@mira/shared'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { fetchMe } from './account-calls.ts'
import { tokenStore } from './token.ts'

const early = { username: 'early' } as MeJson
const late = { username: 'late' } as MeJson
const fetchMock = vi.fn<typeof fetch>()

beforeEach(() => {
  vi.stubGlobal('window', {})
  vi.stubGlobal('document', { querySelector: () => null })
  vi.stubGlobal('fetch', fetchMock)
  fetchMock.mockReset().mockImplementation(async () => Response.json(late))
  tokenStore.set('mine')
})
afterEach(() => void vi.unstubAllGlobals())

const setEarlyResponse = (token: string, response: Promise<Response>) => {
  response.catch(() => {})
  window.earlyAnswers = { token, answers: { '/api/auth/me': response } }
}

it('uses the response requested while the app was loading, once', async () => {
  setEarlyResponse('mine', Promise.resolve(Response.json(early)))
  expect(await fetchMe()).toEqual(early)
  expect(fetchMock).not.toHaveBeenCalled()
  expect(await fetchMe()).toEqual(late)
})

it.each([
  ['for the previous user', 'theirs', () => Promise.resolve(Response.json(early))],
  ['with an error status', 'mine', () => Promise.resolve(Response.json({ detail: 'no' }, { status: 503 }))],
  ['that failed', 'mine', () => Promise.reject(new TypeError('offline'))],
])('sends a request instead of using an early response %s', async (_case, token, respond) => {
  setEarlyResponse(token, respond())
  expect(await fetchMe()).toEqual(late)
  expect(fetchMock).toHaveBeenCalledOnce()
})
