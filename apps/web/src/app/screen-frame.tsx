import { type ReactNode, useEffect, useRef } from 'react'
import { useLocation } from 'react-router-dom'
import { useText } from '../lib/i18n.ts'
import { useTitle } from '../lib/use-title.ts'
import type app from '../messages/en/app.json'
import { classNames } from '../ui/class-names.ts'
import { noteScreenShown } from './screens-shown.ts'
import { useScrollMemory } from './scroll-memory.ts'

/** The name of a screen in the document's title. */
export type ScreenTitle = keyof (typeof app)['titles']

/** The place of a screen: names the document, takes the focus to its heading, sets its width. */
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

/** Comes before the screen, so that a screen which names the document itself has the last word. */
function DocumentTitle({ title }: { title: ScreenTitle }) {
  const text = useText('app')
  useTitle(text(`titles.${title}`))
  return null
}

/** Moves the focus to the heading when a person came to this screen, so that screen readers say where they are. */
function useHeadingFocus() {
  const frame = useRef<HTMLDivElement>(null)
  const { pathname } = useLocation()

  // biome-ignore lint/correctness/useExhaustiveDependencies: moves once per address, not when its query changes
  useEffect(() => {
    if (noteScreenShown().isFirst) return
    const heading = frame.current?.querySelector<HTMLElement>('h1')
    // A screen may want the focus elsewhere, as the sign-in screen does.
    if (!heading || frame.current?.contains(document.activeElement)) return
    heading.tabIndex = -1
    heading.style.outline = 'none'
    heading.focus({ preventScroll: true })
  }, [pathname])

  return frame
}

export type ScreenFrameProps = {
  title: ScreenTitle
  /** Fills the window below the bar and its line; the screen scrolls inside itself. */
  isFull?: boolean
  /** Without a frame, for screens that are drawn outside of the layout. */
  isBare?: boolean
  children: ReactNode
}
