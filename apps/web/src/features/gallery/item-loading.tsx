import { ArrowLeft } from 'lucide-react'
import { useText } from '../../lib/i18n.ts'
import { useShortcut } from '../../lib/keyboard.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { ItemSkeleton } from './item-skeleton.tsx'

/** Stands over the list until the code of an item's view is there, with the way back in the place that it has then. */
export function ItemLoading({ onClose }: { onClose: () => void }) {
  const text = useText('gallery')
  useShortcut({ key: 'Escape', label: text('view.back'), group: text('view.shortcuts'), onPress: onClose })
  return (
    <div className="absolute inset-0 z-10 flex flex-col bg-surface">
      <header className="flex shrink-0 flex-wrap items-center gap-x-1 border-b border-border bg-surface-raised px-2 py-1.5 sm:px-4">
        <IconButton name={text('view.back')} tooltipSide="bottom" icon={<ArrowLeft aria-hidden />} onClick={onClose} />
        {/* on a phone the name stands below the buttons */}
        <span className="h-7 w-full sm:hidden" />
      </header>
      <ItemSkeleton />
    </div>
  )
}
