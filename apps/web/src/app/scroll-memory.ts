import { useLayoutEffect } from 'react'
import { NavigationType, useLocation, useNavigationType } from 'react-router-dom'
import { session } from '../lib/session.ts'

const STORAGE_KEY = 'scroll-positions'
const MOST_POSITIONS = 50

/** The router gives the page of every fresh load this key. */
const FRESH = 'default'

/**
 * Scroll offsets in pixels of the browser's history entries, by the router's key; fresh loads include their address.
 */
const positions = new Map<string, number>(readPositions())

function readPositions(): [string, number][] {
  try {
    return JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '[]')
  } catch {
    // Forbidden storage, or another version's entries: the page then begins at its top.
    return []
  }
}

const hasSignedOut = () => {
  const state = session.state.get()
  return state.status === 'signed-out' && state.because === 'logout'
}

session.state.subscribe(() => {
  if (hasSignedOut()) positions.clear()
})

function keepPositions(): void {
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify([...positions].slice(-MOST_POSITIONS)))
  } catch {
    // The positions hold until the page is closed.
  }
}

/** An address that was typed or followed begins at its top; one that was loaded again, or come back to, does not. */
function isNewlyLoaded(): boolean {
  const [load] = performance.getEntriesByType('navigation')
  return load instanceof PerformanceNavigationTiming && load.type === 'navigate'
}

let isNew = isNewlyLoaded()

/** Begins a new screen at its top, and goes back to where it was on the way back. */
export function useScrollMemory(): void {
  const location = useLocation()
  const { pathname } = location
  const key = location.key === FRESH ? `${FRESH} ${pathname}${location.search}` : location.key
  const navigationType = useNavigationType()

  // biome-ignore lint/correctness/useExhaustiveDependencies: moves once per screen, not when only its query changes
  useLayoutEffect(() => {
    window.history.scrollRestoration = 'manual'
    window.scrollTo(0, navigationType === NavigationType.Pop && !isNew ? (positions.get(key) ?? 0) : 0)
    isNew = false
  }, [pathname])

  useLayoutEffect(() => {
    const remember = () => {
      if (hasSignedOut()) return
      positions.set(key, window.scrollY)
    }
    const keep = () => {
      if (hasSignedOut()) return
      remember()
      keepPositions()
    }
    window.addEventListener('pagehide', keep)
    return () => {
      // The screen is still in the page here, so this is how far it was scrolled.
      remember()
      window.removeEventListener('pagehide', keep)
    }
  }, [key])
}
