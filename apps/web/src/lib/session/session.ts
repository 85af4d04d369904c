import type { LoginChallenge, LoginResponse, MeJson } from '@mira/shared'
import { ApiError } from '../api/client.ts'
import { claimBrowser, clearTabData, clearUserData, hasOwner } from '../browser/browser-data.ts'
import { readStored, watchStored } from '../browser/browser-storage.ts'
import { createStore, type Store, useStore } from '../loading/store.ts'
import * as usersApi from './account-calls.ts'
import { storeToken, TOKEN_KEY, tokenStore } from './token.ts'

/** Reason for being signed out: there was no token, the user signed out, or the server refused the token. */
type SignedOutBecause = 'no-token' | 'logout' | 'expired'

type SessionState =
  /** A token was found and its user is being fetched. */
  | { status: 'loading' }
  /** A token was found, but its user couldn't be fetched; the token is kept for a retry. */
  | { status: 'unreachable'; error: unknown }
  | { status: 'signed-out'; because: SignedOutBecause }
  | { status: 'signed-in'; user: MeJson }

/** Signing in and out, and who is signed in. */
interface Session {
  state: Store<SessionState>
  /** Fetches the user of a stored token, and follows other tabs. */
  start: () => void
  /**
   * Signs in with a password.
   * @returns a challenge when a code is needed as well; otherwise null.
   * @throws ApiError when the server refuses or cannot be reached.
   */
  login: (username: string, password: string) => Promise<LoginChallenge | null>
  /** Signs in with the token of another sign-in method. @throws ApiError as for `login`. */
  signInWithToken: (response: LoginResponse) => Promise<void>
  /** Ends the session here immediately, and on the server if it can be reached; resolves after that attempt. */
  logout: () => Promise<void>
  /** Tries again after `unreachable`. */
  retry: () => void
  /** Fetches the user again, after something about the account changed. */
  refresh: () => Promise<void>
}

const RETRY_DELAYS_MS = [500, 1_500, 3_000]

interface SessionTools {
  api: Pick<typeof usersApi, 'fetchMe' | 'login' | 'logout'>
  token: Store<string | null>
  storeToken: (token: string | null) => void
  /** Calls back when another tab changed the stored token. */
  watchToken: (listener: (token: string | null) => void) => void
  wait: (milliseconds: number) => Promise<void>
  /** Data of users in this browser. */
  data: {
    /** Clears the data that another user left behind; called before any of the user's data is shown. */
    claim: (userId: string) => Promise<void>
    clear: () => Promise<unknown>
    /** Clears the data that only this tab stores. */
    clearTab: () => void
    /** False once a sign-out, here or in another tab, has cleared everything. */
    hasOwner: () => boolean
  }
}

export function createSession({ api, token, storeToken, watchToken, wait, data }: SessionTools): Session {
  const state = createStore<SessionState>(
    token.get() === null ? { status: 'signed-out', because: 'no-token' } : { status: 'loading' },
  )
  /** Counts loads, sign-ins and sign-outs, so that an older load that ends later is ignored. */
  let currentLoad = 0

  /** Fetches the user, with three retries after temporary errors. */
  async function fetchMeWithRetries(isCurrent: () => boolean): Promise<MeJson> {
    for (const delayMs of RETRY_DELAYS_MS) {
      try {
        return await api.fetchMe()
      } catch (error) {
        if (!(error instanceof ApiError && error.isTemporary) || !isCurrent()) throw error
        await wait(delayMs)
      }
    }
    return api.fetchMe()
  }

  async function load(): Promise<void> {
    currentLoad += 1
    const load = currentLoad
    const isCurrent = () => load === currentLoad
    state.set({ status: 'loading' })
    try {
      const user = await fetchMeWithRetries(isCurrent)
      if (isCurrent()) await data.claim(user.id)
      if (isCurrent()) state.set({ status: 'signed-in', user })
    } catch (error) {
      if (!isCurrent()) return
      // The token wasn't refused: then it would have been removed by now, and the state would be `signed-out`.
      console.error('The signed-in user could not be fetched', error)
      state.set({ status: 'unreachable', error })
    }
  }

  function leave(because: SignedOutBecause): void {
    currentLoad += 1
    state.set({ status: 'signed-out', because })
  }

  async function accept({ access_token }: LoginResponse): Promise<void> {
    currentLoad += 1
    storeToken(access_token)
    try {
      const user = await fetchMeWithRetries(() => token.get() === access_token)
      await data.claim(user.id)
      // Another tab may have signed out, or in as somebody else, meanwhile.
      if (token.get() === access_token) state.set({ status: 'signed-in', user })
    } catch (error) {
      console.error('The signed-in user could not be fetched', error)
      const current = token.get()
      if (current === access_token || current === null) {
        leave('no-token')
        storeToken(null)
      }
      throw error
    }
  }

  return {
    state,

    start() {
      token.subscribe((next) => {
        if (next === null && state.get().status !== 'signed-out') leave('expired')
      })
      watchToken((next) => {
        if (next === token.get()) return
        if (next === null) {
          // Called first, because the listener above treats a removed token as an expired session.
          leave(data.hasOwner() ? 'expired' : 'logout')
          if (!data.hasOwner()) data.clearTab()
        }
        token.set(next)
        if (next !== null) void load()
      })
      if (token.get() !== null) void load()
    },

    async login(username, password) {
      const response = await api.login(username, password)
      if ('challenge' in response) return response
      await accept(response)
      return null
    },

    signInWithToken: accept,

    async logout() {
      // Called first, because it needs the token, which is removed right after.
      const serverLogout = api.logout()
      const cleared = data.clear()
      leave('logout')
      storeToken(null)
      await cleared
      try {
        await serverLogout
      } catch (error) {
        // Signing out must work without the server; the token then expires on its own.
        console.error('The session could not be ended on the server', error)
      }
    },

    retry() {
      void load()
    },

    async refresh() {
      const load = currentLoad
      const user = await api.fetchMe()
      if (load === currentLoad && state.get().status === 'signed-in') state.set({ status: 'signed-in', user })
    },
  }
}

/** The session of this tab. */
export const session = createSession({
  api: usersApi,
  token: tokenStore,
  storeToken,
  watchToken: (listener) => watchStored(TOKEN_KEY, () => listener(readStored(TOKEN_KEY))),
  wait: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  data: { claim: claimBrowser, clear: clearUserData, clearTab: clearTabData, hasOwner },
})

/** The session's current state. */
export function useSession(): SessionState {
  return useStore(session.state)
}

/**
 * The signed-in user.
 *
 * @throws Error when nobody is signed in.
 */
export function useUser(): MeJson {
  const state = useSession()
  if (state.status !== 'signed-in') throw new Error('useUser needs a signed-in user')
  return state.user
}
