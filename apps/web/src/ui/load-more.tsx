import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'

/** Asks for the next part of a long list, with how much of it is here. */
export function LoadMore({ label, loading, onLoadMore, status, className }: LoadMoreProps) {
  return (
    <div className={classNames('flex flex-col items-center gap-2', className)}>
      <Button loading={loading} onClick={onLoadMore}>
        {label}
      </Button>
      {status && <span className="text-12 text-muted tabular-nums">{status}</span>}
    </div>
  )
}

export type LoadMoreProps = {
  label: string
  loading?: boolean
  onLoadMore: () => void
  status?: ReactNode
  className?: string
}
