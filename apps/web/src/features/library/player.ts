import { type RefObject, useEffect, useRef, useState } from 'react'
import { createStore, type Store } from '../../lib/loading/store.ts'

const MIN_BAR_HEIGHT = 0.03

/** Resamples levels, 0 to 1, to `count` bars: each is the maximum of its section, relative to the loudest level. */
export function waveBars(levels: readonly number[], count: number): number[] {
  const loudest = Math.max(...levels.map((level) => (Number.isFinite(level) ? level : 0)), 0)
  return Array.from({ length: count }, (_, bar) => {
    const from = Math.floor((bar * levels.length) / count)
    const to = Math.max(from + 1, Math.floor(((bar + 1) * levels.length) / count))
    let level = 0
    for (let index = from; index < to; index += 1) level = Math.max(level, levels[index] ?? 0)
    return loudest === 0 ? MIN_BAR_HEIGHT : Math.max(MIN_BAR_HEIGHT, Math.min(1, level / loudest))
  })
}

/** Player of a video or recording, for components that follow its time or seek in it. */
export interface Player {
  element: RefObject<HTMLMediaElement | null>
  /** Current time in seconds. */
  time: Store<number>
  /** Seeks to a time in seconds; with `shouldPlay`, also starts playing there. */
  seek: (seconds: number, shouldPlay?: boolean) => void
}

/** Creates a player that starts at a time in seconds. */
export function usePlayer(startSeconds: number): Player {
  const element = useRef<HTMLMediaElement>(null)
  const [player] = useState<Player>(() => {
    const time = createStore(startSeconds)
    return {
      element,
      time,
      seek: (seconds, shouldPlay = false) => {
        time.set(seconds)
        if (!element.current) return
        element.current.currentTime = seconds
        // Browsers may refuse to play a file that they don't support; the player then shows an error itself.
        if (shouldPlay) element.current.play().catch((error) => console.warn('Playback failed to start', error))
      },
    }
  })
  useEffect(() => {
    const media = element.current
    // a cached file may have loaded before the listener was added
    if (media !== null && media.readyState >= HTMLMediaElement.HAVE_METADATA && media.currentTime === 0) {
      if (player.time.get() > 0) media.currentTime = player.time.get()
    }
  }, [player])
  return player
}

/** Index of the last start at or before a time, in seconds; -1 when there's none. */
export function indexOfLastStart(starts: readonly number[], time: number): number {
  let low = 0
  let high = starts.length
  while (low < high) {
    const middle = (low + high) >> 1
    // A seek may land a frame before the requested start.
    if ((starts[middle] ?? 0) <= time + 0.05) low = middle + 1
    else high = middle
  }
  return low - 1
}
