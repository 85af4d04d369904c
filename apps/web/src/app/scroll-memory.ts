import { useLayoutEffect } from 'react'
import { NavigationType, useLocation, useNavigationType } from 'react-router-dom'

const STORAGE_KEY = 'scroll-positions'
const MOST_POSITIONS = 50

/** How far each entry of the browser's history was scrolled, by the router's key. */
const positions = new Map<string, number>(readPositions())

function readPositions(): [string, number][] {
  try {
    return JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '[]')
  } catch {
    // Forbidden storage, or another version's entries: the page then begins at its top.
    return []
  }
}

function keepPositions(): void {
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify([...positions].slice(-MOST_POSITIONS)))
  } catch {
    // The positions hold until the page is closed.
  }
}

/** Begins a new screen at its top, and goes back to where it was on the way back. */
export function useScrollMemory(): void {
  const { key, pathname } = useLocation()
  const navigationType = useNavigationType()

  // biome-ignore lint/correctness/useExhaustiveDependencies: moves once per screen, not when only its query changes
  useLayoutEffect(() => {
    window.history.scrollRestoration = 'manual'
    window.scrollTo(0, navigationType === NavigationType.Pop ? (positions.get(key) ?? 0) : 0)
  }, [pathname])

  useLayoutEffect(() => {
    const remember = () => {
      positions.set(key, window.scrollY)
    }
    const keep = () => {
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
