import type { MeJson } from '@mira/shared'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { ApiError } from '../api/client.ts'
import { createStore } from '../loading/store.ts'
import { createSession } from './session.ts'

const ada = { id: '1', username: 'ada' } as MeJson
const networkError = new ApiError(0, { code: 'network', detail: '' })
const refusal = new ApiError(401, { code: 'unauthorized', detail: '' })

/** Session with a fake server; `delays` are the pauses between retries. */
function startWith(storedToken: string | null) {
  const token = createStore(storedToken)
  const storeToken = (next: string | null) => token.set(next)
  const api = {
    fetchMe: vi.fn(async () => ada),
    login: vi.fn(async () => ({ access_token: 'new', token_type: 'bearer' as const, expires_in: 1 })),
    logout: vi.fn(async () => {}),
  }
  const data = {
    claim: vi.fn(async () => {}),
    clear: vi.fn(async () => true),
    clearTab: vi.fn(),
    hasOwner: vi.fn(() => false),
  }
  const delays: number[] = []
  let tokenListener: (next: string | null) => void = () => {}
  const session = createSession({
    api,
    token,
    storeToken,
    watchToken: (listener) => {
      tokenListener = listener
    },
    wait: async (milliseconds) => {
      delays.push(milliseconds)
    },
    data,
  })
  /** Drops the token and rejects, like the client does when the server refuses a token. */
  const refuse = async () => {
    storeToken(null)
    throw refusal
  }
  return { session, token, api, data, delays, refuse, otherTab: (next: string | null) => tokenListener(next) }
}

const settle = () => new Promise((resolve) => setTimeout(resolve))

beforeEach(() => {
  vi.spyOn(console, 'error').mockReturnValue()
})

describe('at the start', () => {
  it('no user is signed in without a token, and no request is sent', () => {
    const { session, api } = startWith(null)
    session.start()
    expect(session.state.get()).toEqual({ status: 'signed-out', because: 'no-token' })
    expect(api.fetchMe).not.toHaveBeenCalled()
  })

  it('the session is loading until the user has been fetched', async () => {
    const { session } = startWith('old')
    session.start()
    expect(session.state.get()).toEqual({ status: 'loading' })
    await settle()
    expect(session.state.get()).toEqual({ status: 'signed-in', user: ada })
  })

  it('network errors are retried three times', async () => {
    const { session, api, delays } = startWith('old')
    api.fetchMe
      .mockRejectedValueOnce(networkError)
      .mockRejectedValueOnce(networkError)
      .mockRejectedValueOnce(networkError)
    session.start()
    await settle()
    expect(delays).toEqual([500, 1500, 3000])
    expect(session.state.get()).toEqual({ status: 'signed-in', user: ada })
  })

  it('an unreachable server is reported, the token is kept, and a manual retry can succeed', async () => {
    const { session, api, token } = startWith('old')
    api.fetchMe.mockRejectedValue(networkError)
    session.start()
    await settle()
    expect(api.fetchMe).toHaveBeenCalledTimes(4)
    expect(session.state.get()).toEqual({ status: 'unreachable', error: networkError })
    expect(token.get()).toBe('old')

    api.fetchMe.mockResolvedValue(ada)
    session.retry()
    await settle()
    expect(session.state.get()).toEqual({ status: 'signed-in', user: ada })
  })

  it('a rejected token ends the session immediately, without a retry', async () => {
    const { session, api, delays, refuse } = startWith('old')
    api.fetchMe.mockImplementation(refuse)
    session.start()
    await settle()
    expect(session.state.get()).toEqual({ status: 'signed-out', because: 'expired' })
    expect(delays).toEqual([])
  })
})

describe('signing in', () => {
  it('keeps the token and fetches the user', async () => {
    const { session, token } = startWith(null)
    session.start()
    await session.login('ada', 'secret')
    expect(token.get()).toBe('new')
    expect(session.state.get()).toEqual({ status: 'signed-in', user: ada })
  })

  it('changes nothing when the server refuses', async () => {
    const { session, api, token } = startWith(null)
    session.start()
    api.login.mockRejectedValueOnce(refusal)
    await expect(session.login('ada', 'wrong')).rejects.toBe(refusal)
    expect(token.get()).toBeNull()
    expect(session.state.get()).toEqual({ status: 'signed-out', because: 'no-token' })
  })

  it('drops the token when the user can’t be fetched', async () => {
    const { session, api, token } = startWith(null)
    session.start()
    api.fetchMe.mockRejectedValue(networkError)
    await expect(session.login('ada', 'secret')).rejects.toBe(networkError)
    expect(token.get()).toBeNull()
  })
})

describe('signing out', () => {
  it.each([
    ['notifies the server', async () => {}],
    ['works without the server', async () => Promise.reject(networkError)],
  ])('%s', async (_, logout) => {
    const { session, api, token } = startWith('old')
    session.start()
    await settle()
    api.logout.mockImplementationOnce(logout)
    await session.logout()
    expect(api.logout).toHaveBeenCalledOnce()
    expect(token.get()).toBeNull()
    expect(session.state.get()).toEqual({ status: 'signed-out', because: 'logout' })
  })

  it('sends the token, and doesn’t wait for the response', async () => {
    const { session, api, token } = startWith('old')
    session.start()
    await settle()
    let tokenOfCall: string | null = null
    let respond = () => {}
    api.logout.mockImplementationOnce(() => {
      tokenOfCall = token.get()
      return new Promise((resolve) => (respond = resolve))
    })
    const logoutCall = session.logout()
    expect(tokenOfCall).toBe('old')
    expect(token.get()).toBeNull()
    expect(session.state.get()).toEqual({ status: 'signed-out', because: 'logout' })
    respond()
    await logoutCall
  })
})

describe('another tab', () => {
  it('signs this one out when it signs out', async () => {
    const { session, data, otherTab } = startWith('old')
    session.start()
    await settle()
    otherTab(null)
    expect(session.state.get()).toEqual({ status: 'signed-out', because: 'logout' })
    expect(data.clearTab).toHaveBeenCalledOnce()
  })

  it('keeps unsent work for the same user when its session has expired', async () => {
    const { session, data, otherTab } = startWith('old')
    data.hasOwner.mockReturnValue(true)
    session.start()
    await settle()
    otherTab(null)
    expect(session.state.get()).toEqual({ status: 'signed-out', because: 'expired' })
    expect(data.clearTab).not.toHaveBeenCalled()
  })

  it('signs this one in when it signs in', async () => {
    const { session, otherTab, token } = startWith(null)
    session.start()
    otherTab('theirs')
    await settle()
    expect(token.get()).toBe('theirs')
    expect(session.state.get()).toEqual({ status: 'signed-in', user: ada })
  })

  it('takes precedence over a pending fetch when it signs in another user', async () => {
    const { session, api, otherTab } = startWith('old')
    let respondLate: (user: MeJson) => void = () => {}
    api.fetchMe.mockImplementationOnce(() => new Promise((resolve) => (respondLate = resolve)))
    const grace = { id: '2', username: 'grace' } as MeJson
    api.fetchMe.mockResolvedValueOnce(grace)
    session.start()
    otherTab('theirs')
    await settle()
    respondLate(ada)
    await settle()
    expect(session.state.get()).toEqual({ status: 'signed-in', user: grace })
  })

  it('takes precedence over a pending sign-in when it signs out', async () => {
    const { session, api, otherTab, token } = startWith(null)
    let respondLate: (user: MeJson) => void = () => {}
    api.fetchMe.mockImplementationOnce(() => new Promise((resolve) => (respondLate = resolve)))
    session.start()
    const signingIn = session.login('ada', 'secret')
    await settle()
    otherTab(null)
    respondLate(ada)
    await signingIn
    expect(token.get()).toBeNull()
    expect(session.state.get()).toEqual({ status: 'signed-out', because: 'logout' })
  })
})

it('fetches the user again on refresh', async () => {
  const { session, api } = startWith('old')
  session.start()
  await settle()
  const promoted = { ...ada, role: 'admin' } as MeJson
  api.fetchMe.mockResolvedValueOnce(promoted)
  await session.refresh()
  expect(session.state.get()).toEqual({ status: 'signed-in', user: promoted })
})

describe('data in the browser', () => {
  it('is claimed for the user before they are signed in', async () => {
    const { session, data } = startWith('old')
    const states: string[] = []
    data.claim.mockImplementation(async () => void states.push(session.state.get().status))
    session.start()
    await settle()
    await session.login('ada', 'secret')
    expect(data.claim.mock.calls).toEqual([['1'], ['1']])
    expect(states[0]).toBe('loading')
  })

  it('is cleared on sign-out, and kept when the session expires', async () => {
    const { session, api, data, refuse } = startWith('old')
    api.fetchMe.mockImplementation(refuse)
    session.start()
    await settle()
    expect(data.clear).not.toHaveBeenCalled()
    await session.logout()
    expect(data.clear).toHaveBeenCalledOnce()
  })
})
