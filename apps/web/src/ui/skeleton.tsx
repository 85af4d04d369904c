import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { VisuallyHidden } from './visually-hidden.tsx'

/** Placeholder for loading content; size it with `className`. It appears after 150 ms. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <div aria-hidden className="appear-late">
      <div className={classNames('animate-pulse rounded-control bg-pressed', className)} />
    </div>
  )
}

/** Placeholder for lines of text, the last one shorter. */
export function SkeletonText({ lines = 3, className }: { lines?: number; className?: string }) {
  return (
    <div className={classNames('flex flex-col gap-2.5', className)}>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are identical and never reordered
        <Skeleton key={line} className={classNames('h-3.5', line === lines - 1 && lines > 1 ? 'w-3/5' : 'w-full')} />
      ))}
    </div>
  )
}

/** Announces once to screen readers that the skeletons inside are loading. */
export function LoadingRegion({ label, className, children }: LoadingRegionProps) {
  return (
    <div role="status" aria-busy className={className}>
      <VisuallyHidden>{label}</VisuallyHidden>
      {children}
    </div>
  )
}

export type LoadingRegionProps = { label: string; className?: string; children: ReactNode }
