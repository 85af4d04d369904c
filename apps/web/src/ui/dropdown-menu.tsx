import { type ComponentType, cloneElement, lazy, Suspense, startTransition, useState } from 'react'
import type { OpenMenuProps } from './dropdown-menu-panel.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import { isMissingPart } from './missing-parts.ts'

/**
 * A button that opens a menu: arrows and typed letters move, Escape closes, the focus returns to the button.
 * The menu's code is loaded when the pointer or the focus first comes to the button.
 */
export function menuLater<Props extends OpenMenuProps>(load: () => Promise<ComponentType<Props>>) {
  const Panel = lazy(async () => ({ default: (await load()) as ComponentType<OpenMenuProps> }))
  return (props: Omit<Props, 'focusFirst'>) => {
    const [opened, setOpened] = useState<'by-pointer' | 'by-keyboard' | null>(null)
    // without it the button stays, and the page tells that a part is missing
    const preload = () => void load().catch(() => {})
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
          {opened ? <Panel {...props} focusFirst={opened === 'by-keyboard'} /> : waitingTrigger}
        </Suspense>
      </ErrorBoundary>
    )
  }
}

/** A menu whose entries are at hand. */
export const DropdownMenu = menuLater(() =>
  import('./dropdown-menu-panel.tsx').then((module) => module.DropdownMenuPanel),
)
