import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { itemQuery } from './library-queries.ts'

const MOST_FRAMES = 12
const FRAME_MS = 650

/** Frames of a film one after the other, over its poster; they are asked for when this is shown. */
export function FilmPreview({ id }: { id: string }) {
  const { data } = useQuery({ ...itemQuery(id), staleTime: 5 * 60_000 })
  const [shown, setShown] = useState(0)
  const all = data?.frames ?? []
  const count = Math.min(all.length, MOST_FRAMES)

  useEffect(() => {
    if (count < 2) return
    const timer = setInterval(() => setShown((current) => (current + 1) % count), FRAME_MS)
    return () => clearInterval(timer)
  }, [count])

  const frame = all[Math.floor((shown * all.length) / Math.max(count, 1))]
  if (!frame) return null
  return (
    <>
      <img src={frame.thumbnail} alt="" className="absolute inset-0 size-full object-cover" />
      <span aria-hidden className="absolute inset-x-2 top-2 flex gap-0.5">
        {Array.from({ length: count }, (_, index) => (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: the marks are alike and never move
            key={index}
            className={index <= shown ? 'h-0.5 flex-1 bg-accent' : 'h-0.5 flex-1 bg-surface-overlay'}
          />
        ))}
      </span>
    </>
  )
}
