import { Check } from 'lucide-react'
import { DropdownMenu as RadixMenu } from 'radix-ui'
import { cloneElement, type ReactElement, type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { classNames } from './class-names.ts'

/** Content of `DropdownMenu`, in a chunk loaded on first use; opens as soon as it's loaded. */
export function DropdownMenuPanel({ trigger, entries, align = 'start', focusFirst }: DropdownMenuPanelProps) {
  const menu = useRef<HTMLDivElement>(null)
  const ownButton = useRef<HTMLElement>(null)
  const [landmark, setLandmark] = useState<Element | null>(null)
  const [isOpen, setIsOpen] = useState(true)

  // The menu stays in the part of the page that its button is in, where screen readers look for it.
  const findLandmark = useCallback((button: HTMLElement | null) => {
    ownButton.current = button
    if (button) setLandmark(button.closest('header, nav, main, aside, [role=dialog]'))
  }, [])

  // Radix focuses the first entry after a key press, but this code wasn't loaded yet when the key was pressed.
  useEffect(() => {
    if (!focusFirst) return
    const frame = requestAnimationFrame(() => menu.current?.querySelector<HTMLElement>('[role^=menuitem]')?.focus())
    return () => cancelAnimationFrame(frame)
  }, [focusFirst])

  return (
    <RadixMenu.Root open={isOpen} onOpenChange={setIsOpen} modal={false}>
      <RadixMenu.Trigger asChild ref={findLandmark}>
        {trigger}
      </RadixMenu.Trigger>
      <RadixMenu.Portal container={landmark}>
        <RadixMenu.Content
          ref={menu}
          align={align}
          sideOffset={6}
          collisionPadding={8}
          loop
          // while the menu fades out, Radix would treat a press on its button as both "open" and "outside: close"
          onInteractOutside={(event) => {
            if (ownButton.current?.contains(event.target as Node)) event.preventDefault()
          }}
          // without this, Radix would pass Escape to a toast that appeared after the menu
          onKeyDown={(event) => event.key === 'Escape' && setIsOpen(false)}
          // another menu opened while this one fades out keeps the focus
          onCloseAutoFocus={(event) => {
            if (document.activeElement?.closest('[role=menu]')) event.preventDefault()
          }}
          className="z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-52 max-w-80 overflow-y-auto rounded-card border border-border-float bg-surface-overlay p-1.5 shadow-float outline-none data-[state=closed]:animate-float-out data-[state=open]:animate-float-in"
        >
          {entries.map((entry) => (
            <Entry key={entry.key} entry={entry} />
          ))}
        </RadixMenu.Content>
      </RadixMenu.Portal>
    </RadixMenu.Root>
  )
}

function Entry({ entry }: { entry: MenuEntry }) {
  if (entry.kind === 'separator') return <RadixMenu.Separator className="-mx-1.5 my-1.5 border-t border-border-float" />
  if (entry.kind === 'heading') {
    return (
      <RadixMenu.Label className="px-2.5 pt-1.5 pb-1 text-12 font-medium text-muted">{entry.label}</RadixMenu.Label>
    )
  }

  const content = (
    <>
      {entry.icon && (
        <span
          aria-hidden
          className={classNames(
            'shrink-0 [&_svg]:size-4',
            entry.description ? 'mt-0.5 self-start' : undefined,
            entry.tone === 'danger' ? 'text-danger-text' : 'text-muted',
          )}
        >
          {entry.icon}
        </span>
      )}
      <span className="min-w-0 flex-1">
        <span className={classNames('block truncate', entry.description && 'font-medium')}>{entry.label}</span>
        {entry.description && <span className="block text-13 text-pretty text-muted">{entry.description}</span>}
      </span>
      {/* touch devices have no keyboard shortcuts */}
      {entry.shortcut && (
        <span className="shrink-0 pl-4 text-12 text-muted pointer-coarse:hidden">{entry.shortcut}</span>
      )}
      {entry.checked && <Check aria-hidden className="size-4 shrink-0 text-accent-text" />}
    </>
  )
  const shared = {
    disabled: entry.disabled,
    onSelect: entry.onSelect,
    className: classNames(
      'flex min-h-8 items-center gap-2.5 rounded-control px-2.5 text-14 outline-none select-none shade-on-hover pointer-coarse:min-h-11',
      entry.description ? 'py-2' : 'py-1.5',
      entry.tone === 'danger' && 'text-danger-text',
      'data-disabled:pointer-events-none data-disabled:opacity-55',
    ),
  }
  if (entry.checked !== undefined) {
    return (
      <RadixMenu.CheckboxItem {...shared} checked={entry.checked}>
        {content}
      </RadixMenu.CheckboxItem>
    )
  }
  return (
    <RadixMenu.Item {...shared} asChild={Boolean(entry.link)}>
      {entry.link ? cloneElement(entry.link, {}, content) : content}
    </RadixMenu.Item>
  )
}

type DropdownMenuPanelProps = DropdownMenuProps & Pick<OpenMenuProps, 'focusFirst'>

/** Props for opening a menu whose code has just been loaded. */
export type OpenMenuProps = {
  trigger: DropdownMenuProps['trigger']
  /** True when the menu was opened by a key. */
  focusFirst: boolean
}

/** Entry of a menu: an action, a link, a heading or a separator. */
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
      /** Set for one of several options; the selected option has a check mark. */
      checked?: boolean
      onSelect?: () => void
      /** An empty link element, for example `<Link to="/upload" />`: the entry becomes that link. */
      link?: ReactElement<{ children?: ReactNode }>
    }
  | { kind: 'heading'; key: string; label: string }
  | { kind: 'separator'; key: string }

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
