import type { Access } from '@mira/shared/access'
import { createContext, type MouseEvent, useContext } from 'react'
import type { Location } from 'react-router-dom'

/** Navigation state for the sign-in screen. */
export interface LoginState {
  /** Page to return to: path, query and hash inside this app. */
  from?: string
  /** True when a session has expired. */
  hasExpired?: boolean
}

/** Reads the sign-in screen's navigation state, which may be anything, because browsers keep it over a reload. */
export function readLoginState(location: Location): LoginState {
  const state: unknown = location.state
  if (typeof state !== 'object' || state === null) return {}
  const { from, hasExpired } = state as Record<string, unknown>
  return {
    from: typeof from === 'string' && from.startsWith('/') && !from.startsWith('//') ? from : undefined,
    hasExpired: hasExpired === true,
  }
}

/** Navigation state for the dashboard after access to a page was denied. */
export interface DeniedState {
  /** Access that the page needs. */
  denied: Access
}

const deniable: readonly Access[] = ['chat', 'upload', 'agents', 'analytics', 'admin']

/** Access needed by the page that was denied; null when none was. */
export function readDenied(location: Location): Access | null {
  const state: unknown = location.state
  if (typeof state !== 'object' || state === null) return null
  const { denied } = state as Record<string, unknown>
  return deniable.find((access) => access === denied) ?? null
}

/** Shows an item beside the page, at the location given in its path. */
type ShowItem = (path: string) => void

/** Opens an item beside the page; null where there's no panel for it. */
export const ItemPeekContext = createContext<ShowItem | null>(null)

const ITEM_PATH = /^\/gallery\/[^/?#]+/

/**
 * Click handler that opens links to items beside the page, which stays as it is; other links, and those opened in a new tab
 * or window, work as usual.
 */
export function useItemPeek(): (path: string) => (event: MouseEvent) => void {
  const show = useContext(ItemPeekContext)
  return (path) => (event) => {
    const opensElsewhere = event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey
    if (show === null || opensElsewhere || event.defaultPrevented || !ITEM_PATH.test(path)) return
    event.preventDefault()
    show(path)
  }
}
