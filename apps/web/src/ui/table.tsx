import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import { classNames } from './class-names.ts'

/**
 * Table that scrolls in its own box: the header stays at the top, the first column at the left.
 *
 * With `stickyColumns` 2, a column of checkboxes (44 px wide) and the next column stay. Cells are `HeaderCell`,
 * `SortHeaderCell` and `Cell`; the cell that names its row is a `RowHeaderCell`.
 */
export function Table({ label, stickyColumns = 1, className, children }: TableProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a scrolling box must take the focus so that arrow keys scroll it
    <div
      role="region"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: for the same reason
      tabIndex={0}
      className={classNames(
        'relative max-h-[min(70dvh,44rem)] overflow-auto focus-visible:-outline-offset-2',
        className,
      )}
    >
      <table
        className={classNames(
          'w-full border-separate border-spacing-0 text-14 [&_tbody_tr:last-child>*]:border-b-0 [&_tr>*]:border-b',
          '[&_tr>:first-child]:sticky [&_tr>:first-child]:left-0 [&_tr>:first-child]:z-10 [&_thead_tr>:first-child]:z-30',
          stickyColumns === 2 &&
            '[&_tr>:first-child]:w-11 [&_tr>:first-child]:min-w-11 [&_tr>:first-child]:pr-0 sm:[&_tr>:nth-child(2)]:sticky sm:[&_tr>:nth-child(2)]:left-11 sm:[&_tr>:nth-child(2)]:z-10 sm:[&_thead_tr>:nth-child(2)]:z-30',
        )}
      >
        {children}
      </table>
    </div>
  )
}

/** Row; `selected` highlights it and sets `aria-selected`. */
export function Row({ selected, className, ...rest }: RowProps) {
  return (
    <tr {...rest} aria-selected={selected} className={classNames('group/row', selected && 'is-selected', className)} />
  )
}

/** Column header. */
export function HeaderCell({ align = 'left', className, ...rest }: CellProps<'th'>) {
  return <th scope="col" {...rest} className={classNames(headerClass, alignments[align], className)} />
}

/** Column header that sorts the table when pressed. */
export function SortHeaderCell({
  direction,
  onSort,
  align = 'left',
  className,
  children,
  ...rest
}: SortHeaderCellProps) {
  const Arrow = direction === 'ascending' ? ArrowUp : direction === 'descending' ? ArrowDown : ChevronsUpDown
  return (
    <th
      scope="col"
      {...rest}
      aria-sort={direction ?? 'none'}
      className={classNames(headerClass, alignments[align], className)}
    >
      <button
        type="button"
        onClick={onSort}
        className={classNames(
          'relative inline-flex touch-area items-center gap-1 rounded-control hover:text-text',
          direction && 'text-text',
        )}
      >
        {children}
        <Arrow aria-hidden className={classNames('size-3.5 shrink-0', !direction && 'opacity-60')} />
      </button>
    </th>
  )
}

/** Cell that names its row. */
export function RowHeaderCell({ align = 'left', className, ...rest }: CellProps<'th'>) {
  return <th scope="row" {...rest} className={classNames(cellClass, 'font-medium', alignments[align], className)} />
}

/** Cell; when aligned right, digits have equal widths. */
export function Cell({ align = 'left', className, ...rest }: CellProps<'td'>) {
  return <td {...rest} className={classNames(cellClass, alignments[align], className)} />
}

const alignments = { left: 'text-left', right: 'text-right tabular-nums', center: 'text-center' }
const headerClass = 'sticky top-0 z-20 h-10 bg-surface-raised px-4 text-12 font-medium whitespace-nowrap text-muted'
const cellClass =
  'h-13 bg-surface-raised px-4 py-2 transition-colors group-hover/row:bg-row-hover group-[.is-selected]/row:bg-row-selected'

export type TableProps = { label: string; stickyColumns?: 1 | 2; className?: string; children: ReactNode }
export type RowProps = ComponentProps<'tr'> & { selected?: boolean }
export type CellProps<Element extends 'th' | 'td'> = Omit<ComponentProps<Element>, 'align'> & {
  align?: keyof typeof alignments
}
export type SortDirection = 'ascending' | 'descending'
export type SortHeaderCellProps = CellProps<'th'> & { direction: SortDirection | null; onSort: () => void }
