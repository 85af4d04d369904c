import { lazy } from 'react'
import { Card } from '../../ui/card.tsx'
import { LaterPart } from '../../ui/later-part.tsx'
import type { QueueListPanelProps } from './queue-list-panel.tsx'

const ROW_PX = 77

// there is none before somebody has chosen files
const QueueListPanel = lazy(() =>
  import('./queue-list-panel.tsx').then((module) => ({ default: module.QueueListPanel })),
)

/** The files of the queue; how they are listed is loaded with the first of them. */
export function QueueList({ entries }: Pick<QueueListPanelProps, 'entries'>) {
  // as high as it will be, so that nothing moves when it comes
  const place = <Card flush style={{ height: entries.length * ROW_PX }} />
  return (
    <LaterPart fallback={place}>
      <QueueListPanel entries={entries} rowPx={ROW_PX} />
    </LaterPart>
  )
}
