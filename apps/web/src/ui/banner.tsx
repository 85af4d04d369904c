import { CircleAlert, CircleCheck, Info, TriangleAlert, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

const looks = {
  info: { Icon: Info, box: 'border-accent/30 bg-accent-soft', mark: 'text-accent-text' },
  success: { Icon: CircleCheck, box: 'border-success/30 bg-success-soft', mark: 'text-success-text' },
  warning: { Icon: TriangleAlert, box: 'border-warning/35 bg-warning-soft', mark: 'text-warning-text' },
  error: { Icon: CircleAlert, box: 'border-danger/30 bg-danger-soft', mark: 'text-danger-text' },
}

/** Inline message; screen readers announce errors immediately, others politely. */
export function Banner({ tone, title, action, dismissLabel, onDismiss, className, children }: BannerProps) {
  const { Icon, box, mark } = looks[tone]
  return (
    <div
      role={tone === 'error' ? 'alert' : 'status'}
      className={classNames('flex gap-3 rounded-control border px-3.5 py-3 text-14', box, className)}
    >
      <Icon aria-hidden className={classNames('mt-px size-4.5 shrink-0', mark)} />
      <div className="min-w-0 flex-1">
        {title && <p className={classNames('font-medium', mark)}>{title}</p>}
        {children && <div className={classNames('min-w-0', title ? 'mt-0.5 text-13' : undefined)}>{children}</div>}
        {action && <div className="mt-2.5 flex flex-wrap gap-2">{action}</div>}
      </div>
      {onDismiss && dismissLabel && (
        <button
          type="button"
          aria-label={dismissLabel}
          onClick={onDismiss}
          className="relative -my-0.5 -mr-1 grid size-6 shrink-0 touch-area place-items-center rounded-control text-muted hover:text-text"
        >
          <X aria-hidden className="size-4" />
        </button>
      )}
    </div>
  )
}

export type BannerProps = {
  tone: keyof typeof looks
  title?: string
  action?: ReactNode
  dismissLabel?: string
  onDismiss?: () => void
  className?: string
  children?: ReactNode
}
