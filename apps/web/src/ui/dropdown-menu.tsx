import { cloneElement, lazy, type ReactElement, type ReactNode, Suspense, startTransition, useState } from 'react'
import { ErrorBoundary } from './error-boundary.tsx'
import { isMissingPart } from './missing-parts.ts'

const loadPanel = () => import('./dropdown-menu-panel.tsx')
const DropdownMenuPanel = lazy(() => loadPanel().then((module) => ({ default: module.DropdownMenuPanel })))

/** One line of a menu: something to do, somewhere to go, a heading or a rule between groups. */
export type MenuEntry =
  | {
      kind?: 'item'
      key: string
      label: string
      description?: string
      icon?: ReactNode
      shortcut?: string
      tone?: 'danger'
      disabled?: boolean
      /** Given for one of several choices; the chosen one carries a tick. */
      checked?: boolean
      onSelect?: () => void
      /** An empty link element, for example `<Link to="/upload" />`: the entry becomes that link. */
      link?: ReactElement<{ children?: ReactNode }>
    }
  | { kind: 'heading'; key: string; label: string }
  | { kind: 'separator'; key: string }

/**
 * A button that opens a menu: arrows and typed letters move, Escape closes, the focus returns to the button.
 * The menu's code is loaded when the pointer or the focus first comes to the button.
 */
export function DropdownMenu(props: DropdownMenuProps) {
  const [opened, setOpened] = useState<'by-pointer' | 'by-keyboard' | null>(null)
  // without it the button stays, and the page tells that a part is missing
  const preload = () => void loadPanel().catch(() => {})
  const open = (by: 'by-pointer' | 'by-keyboard') => startTransition(() => setOpened(by))
  const waitingTrigger = cloneElement(props.trigger, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onPointerEnter: preload,
    onFocus: preload,
    // Enter and Space click, too: without a pointer there is no click count.
    onClick: (event: React.MouseEvent) => open(event.detail === 0 ? 'by-keyboard' : 'by-pointer'),
    onKeyDown: (event: React.KeyboardEvent) => {
      if (event.key !== 'ArrowDown') return
      event.preventDefault()
      open('by-keyboard')
    },
  })
  return (
    <ErrorBoundary takes={isMissingPart} fallback={waitingTrigger}>
      <Suspense fallback={waitingTrigger}>
        {opened ? <DropdownMenuPanel {...props} focusFirst={opened === 'by-keyboard'} /> : waitingTrigger}
      </Suspense>
    </ErrorBoundary>
  )
}

export type DropdownMenuProps = {
  /** A `Button`, `IconButton` or other element that passes its props on to a button. */
  trigger: ReactElement<TriggerProps>
  entries: readonly MenuEntry[]
  align?: 'start' | 'center' | 'end'
}

type TriggerProps = Pick<
  React.ComponentProps<'button'>,
  'aria-haspopup' | 'aria-expanded' | 'onPointerEnter' | 'onFocus' | 'onClick' | 'onKeyDown'
>
