import { PanelLeftClose } from 'lucide-react'
import { type ReactNode, useCallback, useState } from 'react'
import { readStored, writeStored } from '../../../lib/browser/browser-storage.ts'
import { useIsNarrowBesidePanel, useIsWide } from '../../../lib/browser/use-is-wide.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { classNames } from '../../../ui/class-names.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'

const STORAGE_KEY = 'chat.list'

export type ListPanel = ReturnType<typeof useListPanel>

/**
 * Placement of the list of conversations: next to the chat where there's space and the user wants the list, or else in a
 * sheet over the chat.
 */
export function useListPanel() {
  const isWide = useIsWide()
  // The list makes room for a side panel, so that a cited source and the answer are visible together.
  const isFolded = useIsNarrowBesidePanel()
  const [isWanted, setIsWanted] = useState(() => readStored(STORAGE_KEY) !== 'hidden')
  const [isSheetOpen, setIsSheetOpen] = useState(false)
  const hasSpaceForSidebar = isWide && !isFolded

  const toggle = () => {
    if (!hasSpaceForSidebar) return setIsSheetOpen(!isSheetOpen)
    writeStored(STORAGE_KEY, isWanted ? 'hidden' : null)
    setIsWanted(!isWanted)
  }
  const closeSheet = useCallback(() => setIsSheetOpen(false), [])

  return {
    isListShown: hasSpaceForSidebar && isWanted,
    isDocked: isWide && isWanted,
    isFolded,
    isSheetOpen: isSheetOpen && !hasSpaceForSidebar,
    setIsSheetOpen,
    /** Always the same function. */
    closeSheet,
    toggle,
  }
}

/** The list beside the chat. */
export function ListSidebar({ panel, children }: ListProps) {
  const text = useText('chat')
  if (!panel.isDocked) return null
  return (
    <nav
      aria-label={text('list.label')}
      className={classNames(
        'w-72 shrink-0 flex-col border-r border-border bg-surface',
        // Hidden rather than removed, so that its search stays.
        panel.isFolded ? 'hidden' : 'flex',
      )}
    >
      <div className="flex items-center justify-between py-2 pr-2 pl-5">
        <h2 className="text-14 font-semibold">{text('list.label')}</h2>
        <IconButton
          name={text('list.hide')}
          icon={<PanelLeftClose aria-hidden />}
          size="sm"
          tooltipSide="bottom"
          aria-expanded
          onClick={panel.toggle}
        />
      </div>
      {children}
    </nav>
  )
}

/** The list in a sheet over the chat, where there's no space beside it. */
export function ListSheet({ panel, children }: ListProps) {
  const text = useText('chat')
  const common = useText('app')
  return (
    <Dialog
      open={panel.isSheetOpen}
      onOpenChange={panel.setIsSheetOpen}
      title={text('list.label')}
      closeLabel={common('common.close')}
      size="sm"
    >
      <nav aria-label={text('list.label')} className="-mx-5 -my-4 flex h-[70dvh] flex-col pt-2">
        {children}
      </nav>
    </Dialog>
  )
}

type ListProps = { panel: ListPanel; children: ReactNode }
