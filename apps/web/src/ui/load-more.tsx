import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'

/** Button for the next page of a list, with the number of loaded entries. */
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
