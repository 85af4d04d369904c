import { ChevronLeft, ChevronRight } from 'lucide-react'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'

/** Buttons for the previous and next page; hidden when there is only one page. */
export function Pagination({ page, pageCount, onPageChange, labels, className }: PaginationProps) {
  if (pageCount <= 1) return null
  return (
    <nav
      aria-label={labels.navigation}
      className={classNames('flex items-center justify-between gap-3 text-13 text-muted', className)}
    >
      <Button size="sm" icon={<ChevronLeft aria-hidden />} disabled={page <= 1} onClick={() => onPageChange(page - 1)}>
        {labels.previous}
      </Button>
      <span aria-live="polite" className="tabular-nums">
        {labels.status}
      </span>
      <Button size="sm" disabled={page >= pageCount} onClick={() => onPageChange(page + 1)}>
        {labels.next}
        <ChevronRight aria-hidden />
      </Button>
    </nav>
  )
}

export type PaginationProps = {
  /** From 1. */
  page: number
  pageCount: number
  onPageChange: (page: number) => void
  /** `status` is the whole phrase, such as "Page 2 of 7". */
  labels: { navigation: string; previous: string; next: string; status: string }
  className?: string
}
