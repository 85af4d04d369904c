import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, useState } from 'react'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'
import type { QueueEntry } from './queue-entry.ts'
import { QueueRow } from './queue-row.tsx'

/** The entries of the queue in their order; only those near the window are on the page. */
export function QueueListPanel({ entries, rowPx }: QueueListPanelProps) {
  const list = useRef<HTMLUListElement>(null)
  const scrollMargin = useDistanceFromTop(list)
  const virtualizer = useWindowVirtualizer({
    count: entries.length,
    estimateSize: () => rowPx,
    getItemKey: (index) => entries[index]?.id ?? index,
    overscan: 8,
    scrollMargin,
  })
  const rows = virtualizer.getVirtualItems()
  return (
    <Card flush className="overflow-hidden">
      <ul ref={list} aria-labelledby="queue-title" className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {rows.map(({ index, key, start }) => {
          const entry = entries[index]
          return (
            entry && (
              <li
                key={key}
                ref={virtualizer.measureElement}
                data-index={index}
                aria-setsize={entries.length}
                aria-posinset={index + 1}
                className={classNames('absolute inset-x-0 top-0', index > 0 && 'border-t border-border')}
                style={{ transform: `translateY(${start - scrollMargin}px)` }}
              >
                <QueueRow entry={entry} />
              </li>
            )
          )
        })}
      </ul>
    </Card>
  )
}

/** Distance in pixels from the top of the document; updates when content above changes. */
function useDistanceFromTop(element: React.RefObject<HTMLElement | null>): number {
  const [distance, setDistance] = useState(0)
  useEffect(() => {
    const measure = () => {
      if (element.current) setDistance(Math.round(element.current.getBoundingClientRect().top + window.scrollY))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [element])
  return distance
}

export type QueueListPanelProps = {
  entries: readonly QueueEntry[]
  /** Estimated row height, until it's measured. */
  rowPx: number
}
