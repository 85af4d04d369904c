import { type RefObject, useEffect, useRef, useState } from 'react'
import { createStore, type Store } from '../../lib/loading/store.ts'

const MIN_BAR_HEIGHT = 0.03

/** Resamples levels from 0 to 1 to `count` bars, each its part's maximum, normalised to the loudest. */
export function waveBars(levels: readonly number[], count: number): number[] {
  const loudest = Math.max(...levels.map((level) => (Number.isFinite(level) ? level : 0)), 0)
  return Array.from({ length: count }, (_, bar) => {
    const from = Math.floor((bar * levels.length) / count)
    const to = Math.max(from + 1, Math.floor(((bar + 1) * levels.length) / count))
    let level = 0
    for (let at = from; at < to; at += 1) level = Math.max(level, levels[at] ?? 0)
    return loudest === 0 ? MIN_BAR_HEIGHT : Math.max(MIN_BAR_HEIGHT, Math.min(1, level / loudest))
  })
}

/** Player of a video or recording, for parts that follow its time or seek in it. */
export interface Player {
  element: RefObject<HTMLMediaElement | null>
  /** Current time in seconds. */
  time: Store<number>
  /** Seeks to a second; `isPlayed` also plays from there. */
  seek: (seconds: number, isPlayed?: boolean) => void
}

/** Creates a player that starts at a second. */
export function usePlayer(startAt: number): Player {
  const element = useRef<HTMLMediaElement>(null)
  const [player] = useState<Player>(() => {
    const time = createStore(startAt)
    return {
      element,
      time,
      seek: (seconds, isPlayed = false) => {
        time.set(seconds)
        if (!element.current) return
        element.current.currentTime = seconds
        // Browsers may refuse to play unsupported files; the player itself says so.
        if (isPlayed) element.current.play().catch((error) => console.warn('Playback failed to start', error))
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

/** Index of the last start that isn't later than a time; -1 before the first. */
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
