import { X } from 'lucide-react'
import { Dialog as RadixDialog } from 'radix-ui'
import { type ReactNode, useLayoutEffect } from 'react'
import { IconButton } from './icon-button.tsx'
import { setSidePanelShown } from './side-panel-shown.ts'
import { leaveEscapeToControl } from './takes-escape.ts'

/**
 * Panel beside the page, which stays usable and, in a wide window, becomes narrower; on a phone it's a sheet over the page.
 * Escape closes it, and the focus returns to the element that opened it, without scrolling.
 */
export function SidePanel({ title, closeLabel, actions, returnTo, onClose, children }: SidePanelProps) {
  useLayoutEffect(() => {
    setSidePanelShown(true)
    return () => setSidePanelShown(false)
  }, [])
  return (
    <RadixDialog.Root open modal={false} onOpenChange={(isOpen) => isOpen || onClose()}>
      <RadixDialog.Portal>
        <RadixDialog.Content
          aria-describedby={undefined}
          data-beside-page
          data-makes-room
          // in a wide window below the top bar, in the space that the page leaves (main.css)
          className="@container fixed inset-x-0 bottom-0 z-50 flex h-[calc(100dvh-3rem)] animate-sheet-in flex-col overflow-hidden rounded-t-card border border-border-float bg-surface-raised shadow-float outline-none sm:top-0 sm:left-auto sm:h-dvh sm:w-[min(36rem,80vw)] sm:rounded-none sm:border-y-0 sm:border-r-0 lg:top-[calc(3.5rem+1px)] lg:h-[calc(100dvh-3.5rem-1px)] lg:w-[44vw] lg:shadow-none"
          onInteractOutside={(event) => event.preventDefault()}
          // Escape closes dialogs above the panel first, even if the panel was opened after them
          onEscapeKeyDown={(event) => {
            leaveEscapeToControl(event)
            if (document.activeElement?.closest('[role=dialog]:not([data-beside-page])')) event.preventDefault()
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            if (returnTo instanceof HTMLElement) returnTo.focus({ preventScroll: true })
          }}
        >
          <div className="flex shrink-0 items-center gap-2 border-b border-border px-4 py-2">
            <RadixDialog.Title className="min-w-0 flex-1 truncate text-16 font-semibold">{title}</RadixDialog.Title>
            {actions}
            <RadixDialog.Close asChild>
              <IconButton name={closeLabel} icon={<X aria-hidden />} tooltipSide="bottom" />
            </RadixDialog.Close>
          </div>
          {children}
        </RadixDialog.Content>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  )
}

type SidePanelProps = {
  title: string
  closeLabel: string
  /** Actions next to the close button. */
  actions?: ReactNode
  /** Element that had the focus before the panel opened. */
  returnTo: Element | null
  onClose: () => void
  children: ReactNode
}
