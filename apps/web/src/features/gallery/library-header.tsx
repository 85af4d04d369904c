import { NotebookPen, Trash2 } from 'lucide-react'
import { Link } from 'react-router-dom'
import { useText } from '../../lib/i18n.ts'
import { newNotePath, trashPath } from '../../lib/paths.ts'
import { buttonClass } from '../../ui/button.tsx'
import { ImproveAll } from './improve-all.tsx'
import type { LibraryFilters } from './library-filters.ts'
import { LibraryStats } from './library-stats.tsx'

/** One-line page header, so that pictures start near the top: figures and rarer actions are at its end. */
export function LibraryHeader({ filters, onChangeFilters, total, isListed }: LibraryHeaderProps) {
  const text = useText('gallery')
  return (
    <header className="flex flex-wrap items-center gap-x-3 gap-y-1 pt-3 sm:pt-6">
      <div className="flex min-w-0 flex-1 items-baseline gap-x-3">
        <h1 className="text-20 font-semibold sm:text-24">{text('title')}</h1>
        <p className="min-w-0 truncate text-14 text-muted max-lg:sr-only">{text('subtitle')}</p>
      </div>
      <div className="flex items-center gap-1 sm:gap-2">
        <LibraryStats isListed={isListed} onFilter={onChangeFilters} />
        <ImproveAll filters={filters} total={total} isListed={isListed} />
        <Link
          to={trashPath('items')}
          aria-label={text('trash')}
          title={text('trash')}
          className={buttonClass({ className: 'px-2.5 max-sm:border-transparent max-sm:bg-transparent' })}
        >
          <Trash2 aria-hidden />
        </Link>
        <Link
          to={newNotePath}
          title={text('note.write')}
          className={buttonClass({ className: 'max-sm:border-transparent max-sm:bg-transparent max-sm:px-2.5' })}
        >
          <NotebookPen aria-hidden />
          <span className="max-sm:sr-only">{text('note.write')}</span>
        </Link>
      </div>
    </header>
  )
}

type LibraryHeaderProps = {
  filters: LibraryFilters
  onChangeFilters: (change: Partial<LibraryFilters>) => void
  total: number
  /** True once the library is on screen, so that these requests don't delay it. */
  isListed: boolean
}
