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

const ask = (token: string, answer: Promise<Response>) => {
  answer.catch(() => {})
  window.earlyAnswers = { token, answers: { '/api/auth/me': answer } }
}

it('takes what was asked for while the app was loading, once', async () => {
  ask('mine', Promise.resolve(Response.json(early)))
  expect(await fetchMe()).toEqual(early)
  expect(fetchMock).not.toHaveBeenCalled()
  expect(await fetchMe()).toEqual(late)
})

it.each([
  ['of whoever was signed in before', 'theirs', () => Promise.resolve(Response.json(early))],
  ['that is a refusal', 'mine', () => Promise.resolve(Response.json({ detail: 'no' }, { status: 503 }))],
  ['that never came', 'mine', () => Promise.reject(new TypeError('offline'))],
])('asks again instead of taking an answer %s', async (_which, token, answer) => {
  ask(token, answer())
  expect(await fetchMe()).toEqual(late)
  expect(fetchMock).toHaveBeenCalledOnce()
})
