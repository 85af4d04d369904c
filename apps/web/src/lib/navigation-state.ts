import type { Access } from '@mira/shared/access'
import type { Location } from 'react-router-dom'

/** What travels with the way to the sign-in screen. */
export interface LoginState {
  /** Where the person wanted to go: path, query and hash inside this app. */
  from?: string
  /** True when they were signed in and the session ended by itself. */
  hasExpired?: boolean
}

/** Reads what the way to the sign-in screen carries; browsers keep it over a reload, so it may be anything. */
export function readLoginState(location: Location): LoginState {
  const state: unknown = location.state
  if (typeof state !== 'object' || state === null) return {}
  const { from, hasExpired } = state as Record<string, unknown>
  return {
    from: typeof from === 'string' && from.startsWith('/') && !from.startsWith('//') ? from : undefined,
    hasExpired: hasExpired === true,
  }
}

/** What travels to the dashboard with somebody who was kept from a page. */
export interface DeniedState {
  /** What the page needs. */
  denied: Access
}

const deniable: readonly Access[] = ['chat', 'upload', 'agents', 'analytics', 'admin']

/** What the page that somebody was kept from needs; null when nobody was. */
export function readDenied(location: Location): Access | null {
  const state: unknown = location.state
  if (typeof state !== 'object' || state === null) return null
  const { denied } = state as Record<string, unknown>
  return deniable.find((access) => access === denied) ?? null
}
