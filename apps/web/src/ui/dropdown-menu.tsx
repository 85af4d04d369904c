import { type ComponentType, cloneElement, lazy, startTransition, useState } from 'react'
import type { OpenMenuProps } from './dropdown-menu-panel.tsx'
import { PartBoundary } from './lazy-part.tsx'

/**
 * A button that opens a menu. Arrow keys and typed letters move the focus, Escape closes the menu and returns the focus to
 * the button. The menu's code is loaded when the pointer or the focus first reaches the button.
 */
export function lazyMenu<Props extends OpenMenuProps>(load: () => Promise<ComponentType<Props>>) {
  const Panel = lazy(async () => ({ default: (await load()) as ComponentType<OpenMenuProps> }))
  return (props: Omit<Props, 'focusFirst'>) => {
    /** Undefined until the menu is opened. */
    const [focusFirst, setFocusFirst] = useState<boolean>()
    // `open` loads the code again and reports a failure
    const preload = () => void load().catch(() => {})
    const open = (isByKey: boolean) => startTransition(() => setFocusFirst(isByKey))
    const waitingTrigger = cloneElement(props.trigger, {
      'aria-haspopup': 'menu',
      'aria-expanded': false,
      onPointerEnter: preload,
      onFocus: preload,
      // Enter and Space also cause a click, with a click count (`detail`) of 0.
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

/** Button with a menu of `entries`. */
export const DropdownMenu = lazyMenu(() =>
  import('./dropdown-menu-panel.tsx').then((module) => module.DropdownMenuPanel),
)
