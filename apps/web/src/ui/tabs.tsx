import { Tabs as RadixTabs } from 'radix-ui'
import { type ReactNode, useEffect, useRef } from 'react'
import { classNames } from './class-names.ts'

/**
 * A bar of tabs over their panels: arrows move between them, and on a phone the bar scrolls to the chosen one.
 * Each tab needs a `TabPanel` among the children.
 */
export function Tabs<Value extends string>({
  label,
  tabs,
  value,
  onValueChange,
  className,
  children,
}: TabsProps<Value>) {
  const bar = useRef<HTMLDivElement>(null)

  // biome-ignore lint/correctness/useExhaustiveDependencies: the chosen tab is found in the page after it changed
  useEffect(() => {
    const chosen = bar.current?.querySelector<HTMLElement>('[data-state=active]')
    if (!bar.current || !chosen) return
    bar.current.scrollLeft = chosen.offsetLeft - (bar.current.clientWidth - chosen.offsetWidth) / 2
  }, [value])

  return (
    <RadixTabs.Root value={value} onValueChange={(next) => onValueChange(next as Value)} className={className}>
      <RadixTabs.List
        ref={bar}
        aria-label={label}
        className="relative flex shrink-0 gap-1 overflow-x-auto overflow-y-hidden border-b border-border scrollbar-none"
      >
        {tabs.map((tab) => (
          <RadixTabs.Trigger
            key={tab.value}
            value={tab.value}
            className={classNames(
              'relative -mb-px inline-flex h-10 shrink-0 touch-target items-center gap-2 border-b-2 border-transparent px-3 text-14 font-medium whitespace-nowrap text-muted transition-colors',
              'hover:text-text data-[state=active]:border-accent data-[state=active]:text-text',
              'rounded-t-control focus-visible:-outline-offset-2 [&_svg]:size-4',
            )}
          >
            {tab.icon}
            {tab.label}
            {tab.count !== undefined && (
              <span className="rounded-full bg-pressed px-1.5 text-12 text-muted tabular-nums">{tab.count}</span>
            )}
          </RadixTabs.Trigger>
        ))}
      </RadixTabs.List>
      {children}
    </RadixTabs.Root>
  )
}

/** What one tab shows; only the chosen one is in the page. */
export function TabPanel({ value, className, children }: TabPanelProps) {
  return (
    <RadixTabs.Content value={value} className={classNames('pt-5', className)}>
      {children}
    </RadixTabs.Content>
  )
}

export type TabsProps<Value extends string> = {
  label: string
  tabs: readonly { value: Value; label: string; icon?: ReactNode; count?: number | string }[]
  value: Value
  onValueChange: (value: Value) => void
  className?: string
  children: ReactNode
}
export type TabPanelProps = { value: string; className?: string; children: ReactNode }
