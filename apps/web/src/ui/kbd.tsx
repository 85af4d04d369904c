import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

/** Keyboard key. */
export function Kbd({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <kbd
      className={classNames(
        'inline-grid h-5 min-w-5 place-items-center rounded-[0.3125rem] border border-border bg-hover px-1 font-sans text-12 font-medium text-muted',
        className,
      )}
    >
      {children}
    </kbd>
  )
}
