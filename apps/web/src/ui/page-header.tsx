import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

/** Title of a page with a subtitle and actions. */
export function PageHeader({ title, subtitle, badge, actions, className }: PageHeaderProps) {
  return (
    <header className={classNames('flex flex-wrap items-start justify-between gap-x-6 gap-y-4', className ?? 'mb-6')}>
      <div className="min-w-0">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
          <h1 className="min-w-0 text-24 font-semibold">{title}</h1>
          {badge}
        </div>
        {subtitle && <p className="mt-1.5 text-14 text-muted">{subtitle}</p>}
      </div>
      {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
    </header>
  )
}

export type PageHeaderProps = {
  title: ReactNode
  subtitle?: ReactNode
  badge?: ReactNode
  actions?: ReactNode
  className?: string
}
