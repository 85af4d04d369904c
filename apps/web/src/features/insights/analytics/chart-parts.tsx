import type { ReactNode } from 'react'
import type { TooltipContentProps } from 'recharts'

export const axisProps = {
  stroke: 'var(--border-strong)',
  tick: { fill: 'var(--text-muted)', fontSize: 12 },
  tickLine: false,
  axisLine: false,
} as const

/** The picture of a chart: screen readers hear one sentence about it, and read the table for more. */
export function Picture({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div role="img" aria-label={label} className="min-w-0">
      {children}
    </div>
  )
}

/** The values at the pointer, each with the mark of its line. */
export function ValuesAtPointer({
  active,
  payload,
  label,
  nameOf,
}: Pick<TooltipContentProps, 'active' | 'payload' | 'label'> & { nameOf: (label: string | number) => string }) {
  if (!active || payload.length === 0) return null
  return (
    <div className="rounded-control border border-border-float bg-surface-overlay px-3 py-2 text-12 shadow-float">
      <p className="mb-1 font-medium">{nameOf(label ?? '')}</p>
      <ul className="flex flex-col gap-0.5">
        {payload.map(({ name, value, color }) => (
          <li key={String(name)} className="flex items-center justify-between gap-4">
            <span className="flex items-center gap-1.5 text-muted">
              <Mark color={color ?? 'var(--data-6)'} />
              {name}
            </span>
            <span className="font-medium tabular-nums">{String(value)}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** A dot in the colour of a series. */
export function Mark({ color }: { color: string }) {
  return (
    <svg aria-hidden viewBox="0 0 8 8" className="size-2 shrink-0">
      <circle cx="4" cy="4" r="4" fill={color} />
    </svg>
  )
}
