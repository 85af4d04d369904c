import { RotateCw, Tag, Trash2, X } from 'lucide-react'
import { useState } from 'react'
import { useText } from '../../lib/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import type { GridItem } from './library-items.ts'
import { TagsDialog } from './tags-dialog.tsx'
import { useBulkImprove } from './use-bulk-improve.ts'

/** What can be done with everything that is selected. */
export function SelectionBar({ items, onClear, onDelete }: SelectionBarProps) {
  const text = useText('gallery')
  const [isTagging, setIsTagging] = useState(false)
  const { isImproving, improve } = useBulkImprove()
  const count = items.length
  return (
    <>
      <div role="status" className="sr-only">
        {count > 0 && text('bulk.selected', { count })}
      </div>
      {count > 0 && (
        <div
          role="toolbar"
          aria-label={text('bulk.label')}
          className="absolute inset-x-0 bottom-0 z-20 flex animate-float-in flex-wrap items-center justify-center gap-2 border-t border-border-float bg-surface-overlay p-3 pb-[max(0.75rem,env(safe-area-inset-bottom))] shadow-float sm:bottom-5 sm:mx-auto sm:w-fit sm:rounded-card sm:border sm:p-2"
        >
          <IconButton name={text('bulk.clear')} icon={<X aria-hidden />} onClick={onClear} />
          <span className="w-[calc(100%-4rem)] text-14 font-medium tabular-nums sm:mr-3 sm:w-auto">
            {text('bulk.selected', { count })}
          </span>
          <Button size="sm" icon={<Tag aria-hidden />} onClick={() => setIsTagging(true)}>
            {text('bulk.tags')}
          </Button>
          <Button size="sm" icon={<RotateCw aria-hidden />} loading={isImproving} onClick={() => void improve(items)}>
            {text('bulk.improve')}
          </Button>
          <Button size="sm" variant="danger" icon={<Trash2 aria-hidden />} onClick={onDelete}>
            {text('delete.confirm', { count })}
          </Button>
        </div>
      )}
      <TagsDialog open={isTagging} onOpenChange={setIsTagging} items={items} />
    </>
  )
}

type SelectionBarProps = { items: readonly GridItem[]; onClear: () => void; onDelete: () => void }
