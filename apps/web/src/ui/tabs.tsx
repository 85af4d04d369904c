import { createContext, type KeyboardEvent, type ReactNode, use, useEffect, useId, useRef } from 'react'
import { classNames } from './class-names.ts'

/** The prefix of the ids of tabs and panels, and the selected tab. */
const TabsContext = createContext({ id: '', selected: '' })
const tabId = (id: string, value: string) => `${id}-tab-${value}`
const panelId = (id: string, value: string) => `${id}-panel-${value}`

/**
 * A bar of tabs over their panels. Arrow keys, Home and End select another tab, and on a phone the bar scrolls to the
 * selected tab. Each tab needs a `TabPanel` among the children. Decision 016 says why it isn't built with Radix.
 */
export function Tabs<Value extends string>({
  label,
  tabs,
  value,
  onValueChange,
  className,
  children,
}: TabsProps<Value>) {
  const id = useId()
  const bar = useRef<HTMLDivElement>(null)

  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect finds the selected tab in the DOM after `value` changed
  useEffect(() => {
    const selectedTab = bar.current?.querySelector<HTMLElement>('[aria-selected=true]')
    if (!bar.current || !selectedTab) return
    bar.current.scrollLeft = selectedTab.offsetLeft - (bar.current.clientWidth - selectedTab.offsetWidth) / 2
  }, [value])

  const select = (next: Value) => {
    if (next !== value) onValueChange(next)
  }
  const selectByKey = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
    const index = tabs.findIndex((tab) => tab.value === value)
    const targets: Record<string, number> = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: -1 }
    const target = targets[event.key]
    // wraps around
    const next = target === undefined ? undefined : tabs.at(target % tabs.length)
    if (next === undefined) return
    event.preventDefault()
    document.getElementById(tabId(id, next.value))?.focus()
    select(next.value)
  }

  // the tab that the Tab key moves to
  const focusable = tabs.some((tab) => tab.value === value) ? value : tabs[0]?.value
  return (
    <TabsContext value={{ id, selected: value }}>
      <div className={className}>
        <div
          ref={bar}
          role="tablist"
          aria-label={label}
          aria-orientation="horizontal"
          onKeyDown={selectByKey}
          className="relative flex shrink-0 gap-1 overflow-x-auto overflow-y-hidden border-b border-border scrollbar-none"
        >
          {tabs.map((tab) => {
            const isSelected = tab.value === value
            return (
              <button
                key={tab.value}
                type="button"
                role="tab"
                id={tabId(id, tab.value)}
                aria-selected={isSelected}
                aria-controls={panelId(id, tab.value)}
                tabIndex={tab.value === focusable ? 0 : -1}
                onClick={() => select(tab.value)}
                className={classNames(
                  'relative -mb-px inline-flex h-10 shrink-0 touch-target items-center gap-2 border-b-2 border-transparent px-3 text-14 font-medium whitespace-nowrap text-muted transition-colors',
                  'hover:text-text aria-selected:border-accent aria-selected:text-text',
                  'rounded-t-control focus-visible:-outline-offset-2 [&_svg]:size-4',
                )}
              >
                {tab.icon}
                {tab.label}
                {tab.count !== undefined && (
                  <span className="rounded-full bg-pressed px-1.5 text-12 text-muted tabular-nums">{tab.count}</span>
                )}
              </button>
            )
          })}
        </div>
        {children}
      </div>
    </TabsContext>
  )
}

/** Content of a tab; rendered only while the tab is selected. */
export function TabPanel({ value, className, children }: TabPanelProps) {
  const { id, selected } = use(TabsContext)
  const isSelected = selected === value
  return (
    <div
      role="tabpanel"
      id={panelId(id, value)}
      aria-labelledby={tabId(id, value)}
      hidden={!isSelected}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the Tab key moves from the tabs to their content
      tabIndex={0}
      className={classNames('pt-5', className)}
    >
      {isSelected && children}
    </div>
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
