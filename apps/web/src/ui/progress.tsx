import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

const tones = { accent: 'bg-accent', ai: 'bg-ai', success: 'bg-success', danger: 'bg-danger' }

/** Progress bar from 0 to 100 percent; `null` for indeterminate progress. */
export function Progress({ label, labelHidden, value, detail, tone = 'accent', className }: ProgressProps) {
  const percent = value === null ? null : Math.max(0, Math.min(100, value))
  return (
    <div className={classNames('min-w-0', className)}>
      <div className={labelHidden ? 'sr-only' : 'mb-1.5 flex flex-wrap items-baseline justify-between gap-x-3 text-13'}>
        <span className="max-w-full truncate font-medium">{label}</span>
        {detail && <span className="text-12 text-muted tabular-nums">{detail}</span>}
      </div>
      <div
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent ?? undefined}
        className="h-1.5 overflow-hidden rounded-full bg-pressed"
      >
        <div
          className={classNames(
            'h-full rounded-full',
            tones[tone],
            percent === null ? 'w-1/3 animate-indeterminate' : 'transition-[width]',
          )}
          style={percent === null ? undefined : { width: `${percent}%` }}
        />
      </div>
    </div>
  )
}

export type ProgressProps = {
  label: string
  labelHidden?: boolean
  value: number | null
  detail?: ReactNode
  tone?: keyof typeof tones
  className?: string
}
