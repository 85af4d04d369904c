import type { ComponentProps, ReactNode } from 'react'
import { classNames } from './class-names.ts'

/** Raised surface that groups related content. */
export function Card({ flush = false, className, ...rest }: CardProps) {
  return (
    <div
      {...rest}
      className={classNames(
        'min-w-0 rounded-card border border-border bg-surface-raised',
        !flush && 'p-4 sm:p-5',
        className,
      )}
    />
  )
}

/** Heading of a card, with actions at the right. */
export function CardHeader({ title, description, actions, level = 2, className }: CardHeaderProps) {
  const Heading = `h${level}` as const
  return (
    <div className={classNames('flex flex-wrap items-center justify-between gap-x-4 gap-y-2', className ?? 'mb-4')}>
      <div className="min-w-0">
        <Heading className="text-16 font-semibold tracking-tight">{title}</Heading>
        {description && <p className="mt-1 text-13 text-muted">{description}</p>}
      </div>
      {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
    </div>
  )
}

export type CardProps = ComponentProps<'div'> & {
  /** Without padding, for tables and pictures that reach the edge. */
  flush?: boolean
}
export type CardHeaderProps = {
  title: ReactNode
  description?: ReactNode
  actions?: ReactNode
  level?: 2 | 3
  className?: string
}
