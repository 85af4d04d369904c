import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

/** Placeholder for an empty list or page: the reason in one sentence, and one action. */
export function EmptyState({ icon, title, text, action, level = 2, className }: EmptyStateProps) {
  const Heading = `h${level}` as const
  return (
    <div className={classNames('flex flex-col items-center px-4 py-12 text-center', className)}>
      {icon && (
        <span
          aria-hidden
          className="mb-4 grid size-12 place-items-center rounded-card border border-border bg-hover text-muted [&_svg]:size-5.5"
        >
          {icon}
        </span>
      )}
      <Heading className="text-16 font-semibold">{title}</Heading>
      {text && <p className="mt-1.5 max-w-sm text-14 text-pretty text-muted">{text}</p>}
      {action && <div className="mt-5 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  )
}

export type EmptyStateProps = {
  icon?: ReactNode
  title: string
  text?: ReactNode
  action?: ReactNode
  level?: 2 | 3
  className?: string
}
