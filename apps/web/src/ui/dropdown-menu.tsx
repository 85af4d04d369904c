import { type ComponentType, cloneElement, lazy, startTransition, useState } from 'react'
import type { OpenMenuProps } from './dropdown-menu-panel.tsx'
import { PartBoundary } from './lazy-part.tsx'

/**
 * A button that opens a menu: arrows and typed letters move, Escape closes, and the focus returns to the button.
 * The menu's code is loaded when the pointer or the focus first comes to the button.
 */
export function menuLater<Props extends OpenMenuProps>(load: () => Promise<ComponentType<Props>>) {
  const Panel = lazy(async () => ({ default: (await load()) as ComponentType<OpenMenuProps> }))
  return (props: Omit<Props, 'focusFirst'>) => {
    /** Undefined until the menu is opened. */
    const [focusFirst, setFocusFirst] = useState<boolean>()
    // `open` loads it again and reports a failure
    const preload = () => void load().catch(() => {})
    const open = (isByKey: boolean) => startTransition(() => setFocusFirst(isByKey))
    const waitingTrigger = cloneElement(props.trigger, {
      'aria-haspopup': 'menu',
      'aria-expanded': false,
      onPointerEnter: preload,
      onFocus: preload,
      // Enter and Space click, too: without a pointer there is no click count.
      onClick: (event: React.MouseEvent) => open(event.detail === 0),
      onKeyDown: (event: React.KeyboardEvent) => {
        if (event.key !== 'ArrowDown') return
        event.preventDefault()
        open(true)
      },
    })
    return (
      <PartBoundary fallback={waitingTrigger}>
        {focusFirst === undefined ? waitingTrigger : <Panel {...props} focusFirst={focusFirst} />}
      </PartBoundary>
    )
  }
}

/** Menu with given entries. */
export const DropdownMenu = menuLater(() =>
  import('./dropdown-menu-panel.tsx').then((module) => module.DropdownMenuPanel),
)
