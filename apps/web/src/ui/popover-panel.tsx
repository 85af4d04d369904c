import { Popover } from 'radix-ui'
import type { ReactNode, RefObject } from 'react'
import { leaveEscapeToControl } from './takes-escape.ts'

/**
 * Panel anchored to its button. Escape, a press outside and the button close it, and the focus returns to the button.
 * Loaded when it's first opened.
 */
export function PopoverPanel({ anchor, title, actions, onClose, children }: PopoverPanelProps) {
  return (
    <Popover.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Popover.Anchor virtualRef={anchor as RefObject<HTMLElement>} />
      <Popover.Portal container={anchor.current?.closest('header')}>
        <Popover.Content
          aria-label={title}
          data-beside-page
          align="end"
          sideOffset={6}
          collisionPadding={8}
          onEscapeKeyDown={leaveEscapeToControl}
          // the button closes the panel; if this closed it first, the button would open it again
          onInteractOutside={(event) => {
            if (anchor.current?.contains(event.target as Node)) event.preventDefault()
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            anchor.current?.focus()
          }}
          className="z-50 flex max-h-[min(36rem,var(--radix-popover-content-available-height))] w-104 max-w-[calc(100vw-1rem)] flex-col rounded-card border border-border-float bg-surface-overlay shadow-float outline-none data-[state=closed]:animate-float-out data-[state=open]:animate-float-in"
        >
          <div className="flex min-h-12 items-center justify-between gap-3 border-b border-border-float px-4 py-1.5">
            <h2 className="text-14 font-semibold">{title}</h2>
            {actions}
          </div>
          <div className="min-h-0 flex-1 overflow-y-auto p-4">{children}</div>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

export type PopoverPanelProps = {
  /** Button that opened the panel. */
  anchor: RefObject<HTMLElement | null>
  title: string
  /** Shown beside the title. */
  actions?: ReactNode
  onClose: () => void
  children: ReactNode
}
