import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

/** So near to the end a reader counts as being there. */
const NEAR_PX = 40
/** A position that is not whole may be this far from the end although it is there. */
const ROUNDING_PX = 2

/** Scroll position in a growing list of messages, and the elements that keep it. */
export interface FollowScroll {
  scroller: RefObject<HTMLDivElement | null>
  content: RefObject<HTMLDivElement | null>
  isAtEnd: boolean
  toEnd: (behaviour?: ScrollBehavior) => void
}

/**
 * Keeps a reader who is at the end at the end while the content grows, and everybody else where they are, also when
 * something is put before what they read.
 *
 * @param viewKey changes when other content is shown: it then begins at its end.
 * @param firstKey changes when something was put before what was first.
 */
export function useFollowScroll(viewKey: string, firstKey: string | undefined): FollowScroll {
  const scroller = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const [isAtEnd, setIsAtEnd] = useState(true)
  const following = useRef(true)
  const lastTop = useRef(0)
  const lastHeight = useRef(0)

  const setFollowing = useCallback((isFollowing: boolean) => {
    following.current = isFollowing
    setIsAtEnd(isFollowing)
  }, [])

  const toEnd = useCallback(
    (behaviour: ScrollBehavior = 'instant') => {
      setFollowing(true)
      scroller.current?.scrollTo({ top: scroller.current.scrollHeight, behavior: behaviour })
    },
    [setFollowing],
  )

  useEffect(() => {
    const element = scroller.current
    if (!element) return
    const handleScroll = () => {
      const distance = element.scrollHeight - element.clientHeight - element.scrollTop
      const isUpwards = element.scrollTop < lastTop.current
      lastTop.current = element.scrollTop
      // One step up is enough to be left in peace; the end is reached by coming near it from above.
      if (distance <= ROUNDING_PX) setFollowing(true)
      else if (isUpwards) setFollowing(false)
      else if (distance <= NEAR_PX) setFollowing(true)
    }
    element.addEventListener('scroll', handleScroll, { passive: true })
    return () => element.removeEventListener('scroll', handleScroll)
  }, [setFollowing])

  useEffect(() => {
    if (!content.current || !scroller.current) return
    const element = scroller.current
    // The content grows, or the window shrinks: a keyboard opens, the composer gets another line.
    const observer = new ResizeObserver(() => {
      lastHeight.current = element.scrollHeight
      if (!following.current) return
      element.scrollTop = element.scrollHeight
      lastTop.current = element.scrollTop
    })
    observer.observe(content.current)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  // biome-ignore lint/correctness/useExhaustiveDependencies: acts when it changes
  useLayoutEffect(() => toEnd(), [viewKey, toEnd])

  // biome-ignore lint/correctness/useExhaustiveDependencies: acts when something was put before the first message
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    const grown = element.scrollHeight - lastHeight.current
    lastHeight.current = element.scrollHeight
    if (following.current) element.scrollTop = element.scrollHeight
    else if (grown > 0) element.scrollTop += grown
    lastTop.current = element.scrollTop
  }, [firstKey])

  return { scroller, content, isAtEnd, toEnd }
}
