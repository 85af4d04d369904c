import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react'
import { NavigationType, useLocation, useNavigationType } from 'react-router-dom'
import { useTitle } from '../lib/browser/page-meta.ts'
import { useText } from '../lib/i18n/i18n.ts'
import { session } from '../lib/session/session.ts'
import type app from '../messages/en/app.json'
import { classNames } from '../ui/class-names.ts'
import { recordScreenShown } from './screens-shown.ts'

const STORAGE_KEY = 'scroll-positions'
const MAX_POSITIONS = 50

/** The router's key of a history entry that it didn't create, because the page was loaded at the entry's address. */
const FRESH_KEY = 'default'

/**
 * Scroll offsets in pixels of the browser's history entries, by the router's key, plus the address for freshly loaded pages.
 */
const positions = new Map<string, number>(readPositions())

function readPositions(): [string, number][] {
  try {
    return JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '[]')
  } catch {
    // Storage is blocked or has another version's entries: start at the top.
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

function saveScrollPositions(): void {
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify([...positions].slice(-MAX_POSITIONS)))
  } catch {
    // Storage is blocked: the positions last until the page is closed.
  }
}

/** True when the address was typed or a link followed; false after a reload or going back. */
function isNewlyLoaded(): boolean {
  const [load] = performance.getEntriesByType('navigation')
  return load instanceof PerformanceNavigationTiming && load.type === 'navigate'
}

let isNew = isNewlyLoaded()

/** Scrolls new screens to the top, and restores the position when going back. */
function useScrollMemory(): void {
  const location = useLocation()
  const { pathname } = location
  const key = location.key === FRESH_KEY ? `${FRESH_KEY} ${pathname}${location.search}` : location.key
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
    const rememberAndSave = () => {
      if (hasSignedOut()) return
      remember()
      saveScrollPositions()
    }
    window.addEventListener('pagehide', rememberAndSave)
    return () => {
      // The screen is still in the page here, so its position can be read.
      remember()
      window.removeEventListener('pagehide', rememberAndSave)
    }
  }, [key])
}

/** Key of a screen's document title. */
export type ScreenTitle = keyof (typeof app)['titles']

/** Frame of a screen: sets the document title and the width, and focuses the heading. */
export function ScreenFrame({ title, isFull = false, isBare = false, children }: ScreenFrameProps) {
  const frame = useHeadingFocus()
  useScrollMemory()
  return (
    <div
      ref={frame}
      className={classNames(
        !isBare &&
          (isFull ? 'flex h-below-bar min-h-0 flex-col' : 'mx-auto w-full max-w-page px-4 py-6 sm:px-6 sm:py-8'),
      )}
    >
      <DocumentTitle title={title} />
      {children}
    </div>
  )
}

/** Rendered before the screen, so that a title set by the screen itself wins. */
function DocumentTitle({ title }: { title: ScreenTitle }) {
  const text = useText('app')
  useTitle(text(`titles.${title}`))
  return null
}

/** Focuses the heading after navigation, so that screen readers announce the screen. */
function useHeadingFocus() {
  const frame = useRef<HTMLDivElement>(null)
  const { pathname } = useLocation()

  // biome-ignore lint/correctness/useExhaustiveDependencies: moves once per address, not when its query changes
  useEffect(() => {
    if (recordScreenShown().isFirst) return
    const heading = frame.current?.querySelector<HTMLElement>('h1')
    // A screen may want the focus elsewhere, as the sign-in screen does.
    if (!heading || frame.current?.contains(document.activeElement)) return
    heading.tabIndex = -1
    heading.style.outline = 'none'
    heading.focus({ preventScroll: true })
  }, [pathname])

  return frame
}

type ScreenFrameProps = {
  title: ScreenTitle
  /** Fills the window below the bar and its line; the screen scrolls inside itself. */
  isFull?: boolean
  /** Without a frame, for screens that are drawn outside of the layout. */
  isBare?: boolean
  children: ReactNode
}
