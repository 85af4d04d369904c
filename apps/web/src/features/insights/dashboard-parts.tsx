import { type ReactNode, type RefObject, useMemo } from 'react'
import { useSearchParams } from 'react-router-dom'
import { LoadFailed, type LoadFailedProps } from '../../lib/components/query-list.tsx'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'

/** Title of a dashboard's tab, with its actions beside it. */
export function TabHeader({ title, subtitle, heading, children }: TabHeaderProps) {
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
      <div className="min-w-0">
        <h2
          ref={heading}
          tabIndex={heading && -1}
          className={classNames('text-20 font-semibold', heading && 'outline-none')}
        >
          {title}
        </h2>
        {typeof subtitle === 'string' ? <p className="mt-1 text-14 text-muted">{subtitle}</p> : subtitle}
      </div>
      {children}
    </div>
  )
}

type TabHeaderProps = {
  title: string
  /** Text, or whole elements. */
  subtitle: ReactNode
  /** Makes the title focusable by code. */
  heading?: RefObject<HTMLHeadingElement | null>
  children?: ReactNode
}

const gridClasses = {
  three: 'grid-cols-1 sm:grid-cols-3',
  four: 'grid-cols-2 xl:grid-cols-4',
  five: 'grid-cols-2 sm:grid-cols-3 xl:grid-cols-5',
  six: 'grid-cols-2 sm:grid-cols-3',
}

/** The stat cards at the top of a dashboard, in a grid for their number. */
export function StatCards({ label, count = 'four', children }: StatCardsProps) {
  return (
    <section aria-label={label} className={classNames('grid gap-3 sm:gap-4', gridClasses[count])}>
      {children}
    </section>
  )
}

type StatCardsProps = { label: string; count?: keyof typeof gridClasses; children: ReactNode }

/** A card in place of a dashboard whose data couldn't be loaded. */
export function FailedCard({ query }: Pick<LoadFailedProps, 'query'>) {
  return (
    <Card>
      <LoadFailed query={query} />
    </Card>
  )
}

/** Direction of a stat card's arrow. */
export const directionOf = (change: number) => (change > 0 ? 'up' : change < 0 ? 'down' : 'flat')

/** Filters in the page's URL, so that "back" from an entry returns to the same list. */
export function useUrlFilters<Filters>({ read, write }: AddressFilters<Filters>) {
  const [parameters, setParameters] = useSearchParams()
  const filters = useMemo(() => read(parameters), [read, parameters])
  const change = (part: Partial<Filters>) =>
    setParameters((current) => write(current, { ...read(current), ...part }), {
      replace: true,
      preventScrollReset: true,
    })
  return [filters, change] as const
}

interface AddressFilters<Filters> {
  read: (parameters: URLSearchParams) => Filters
  write: (parameters: URLSearchParams, filters: Filters) => URLSearchParams
}

/** Writes filters into a URL's parameters: omits defaults and null, and keeps other parameters. */
export function writeFilters<Filters extends object>(
  parameters: URLSearchParams,
  filters: Filters,
  defaults: Readonly<Filters>,
): URLSearchParams {
  const next = new URLSearchParams(parameters)
  for (const [name, value] of Object.entries(filters)) {
    if (value === null || value === defaults[name as keyof Filters]) next.delete(name)
    else next.set(name, String(value))
  }
  return next
}
