import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'
import { classNames } from '../../../ui/class-names.ts'

/** State and actions of a list that a field's keys control. */
interface MenuKeys {
  count: number
  activeIndex: number
  move: (index: number) => void
  dismiss: () => void
  choose: (index: number) => void
}

/** True when the list handled a key: arrows move, Enter and Tab choose, Escape dismisses it. */
export function takeMenuKey(event: KeyboardEvent, { count, activeIndex, move, dismiss, choose }: MenuKeys): boolean {
  if (event.key === 'Escape') dismiss()
  else if (count === 0) return false
  else if (event.key === 'ArrowDown') move((activeIndex + 1) % count)
  else if (event.key === 'ArrowUp') move((activeIndex - 1 + count) % count)
  else if ((event.key === 'Enter' && !event.shiftKey) || event.key === 'Tab') choose(activeIndex)
  else return false
  event.preventDefault()
  return true
}

/** Options above the field while the user types; the field keeps the focus. */
export function OptionList({ id, label, status, options, activeIndex }: OptionListProps) {
  const activeOption = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls again when another option is active
  useEffect(() => {
    // newer browsers return a promise, which an effect must not return
    void activeOption.current?.scrollIntoView?.({ block: 'nearest' })
  }, [activeIndex])
  return (
    <OptionPanel status={status}>
      <div
        role="listbox"
        id={id}
        aria-label={label}
        // what scrolls must be reachable by keyboard
        tabIndex={0}
        className="max-h-72 overflow-y-auto p-1.5 focus-visible:-outline-offset-2"
      >
        {options.map((option, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the active option
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys
          <div
            key={option.id}
            ref={index === activeIndex ? activeOption : undefined}
            id={option.id}
            role="option"
            aria-selected={index === activeIndex}
            onMouseDown={(event) => event.preventDefault()}
            onClick={option.onChoose}
            className={classNames(
              'flex min-h-11 cursor-pointer items-center gap-3 rounded-control px-2.5 py-1.5 shade-on-hover',
              index === activeIndex && 'bg-row-selected',
            )}
          >
            {option.content}
          </div>
        ))}
      </div>
    </OptionPanel>
  )
}

/** Floating container of the options. */
export function OptionPanel({ status, children }: { status: string; children: ReactNode }) {
  return (
    <div className="absolute inset-x-0 bottom-full z-20 mb-2 overflow-hidden rounded-card border border-border-float bg-surface-overlay shadow-float">
      <p role="status" className="sr-only">
        {status}
      </p>
      {children}
    </div>
  )
}

type OptionListProps = {
  id: string
  label: string
  /** For screen readers. */
  status: string
  options: readonly { id: string; content: ReactNode; onChoose: () => void }[]
  activeIndex: number
}
