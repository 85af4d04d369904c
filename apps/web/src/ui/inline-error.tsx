import { CircleAlert, RotateCw } from 'lucide-react'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'

/** Unobtrusive message about a part that couldn't be loaded, with a retry button. */
export function InlineError({ text, retryLabel, onRetry, retrying, className }: InlineErrorProps) {
  return (
    <div
      role="alert"
      className={classNames('flex flex-wrap items-center gap-x-3 gap-y-1 text-14 text-muted', className)}
    >
      <span className="inline-flex min-w-0 items-center gap-2">
        <CircleAlert aria-hidden className="size-4 shrink-0 text-danger-text" />
        <span className="min-w-0">{text}</span>
      </span>
      {onRetry && retryLabel && (
        <Button size="sm" icon={<RotateCw aria-hidden />} loading={retrying} onClick={onRetry}>
          {retryLabel}
        </Button>
      )}
    </div>
  )
}

export type InlineErrorProps = {
  text: string
  retryLabel?: string
  onRetry?: () => void
  retrying?: boolean
  className?: string
}
