import type { ReactNode } from 'react'

/** One thing that can be done with data: what it does, and the button for it. */
export function DataLine({ note, children }: { note: ReactNode; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-3 py-3.5 last:pb-0">
      <div className="min-w-48 flex-1 text-13 text-pretty text-muted">{note}</div>
      {children}
    </div>
  )
}
