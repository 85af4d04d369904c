import type { AnalyticsJson } from '@mira/shared'
import { type KeyboardEvent, useRef, useState } from 'react'
import { useFormat } from '../../../lib/format/format.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { classNames } from '../../../ui/class-names.ts'
import { VisuallyHidden } from '../../../ui/visually-hidden.tsx'
import { ChartCard, useNames } from './chart-card.tsx'

/** Intensities at which the next of the five shades begins. */
const shadeLimits = [0.2, 0.4, 0.6, 0.8]

/** Shades from quiet to busy. */
export const shades = ['bg-accent/8', 'bg-accent/25', 'bg-accent/45', 'bg-accent/70', 'bg-accent'] as const

/** Shade of an intensity from 0 to 1. */
export function shadeOf(intensity: number): (typeof shades)[number] {
  const band = shadeLimits.findIndex((limit) => intensity < limit)
  return shades[band] ?? shades[4]
}

/** Cell that an arrow key, Home or End moves to, as an index into 7 rows of 24; null for other keys. */
export function nextCell(cell: number, key: string): number | null {
  const [day, hour] = [Math.floor(cell / 24), cell % 24]
  switch (key) {
    case 'ArrowLeft':
      return day * 24 + Math.max(0, hour - 1)
    case 'ArrowRight':
      return day * 24 + Math.min(23, hour + 1)
    case 'ArrowUp':
      return Math.max(0, day - 1) * 24 + hour
    case 'ArrowDown':
      return Math.min(6, day + 1) * 24 + hour
    case 'Home':
      return day * 24
    case 'End':
      return day * 24 + 23
    default:
      return null
  }
}

/**
 * Usage Heatmap: 7 weekdays by 24 hours in five shades. One cell is in the tab order, arrows move to the others; the
 * hovered or focused cell is described below the grid, where a finger doesn't cover it.
 */
export function Heatmap({ data: { heatmap, period, time_zone: timeZone } }: { data: AnalyticsJson }) {
  const text = useText('analytics')
  const format = useFormat()
  const names = useNames()
  const grid = useRef<HTMLTableElement>(null)
  const busiest = heatmap.reduce((top, cell) => (cell.value > top.value ? cell : top))
  const [activeCell, setActiveCell] = useState<number | null>(null)
  const [tabbableCell, setTabbableCell] = useState(0)
  const textOf = (cell: AnalyticsJson['heatmap'][number]) =>
    text('heatmap.cell', { day: names.weekday(cell.day), hour: names.hour(cell.hour), count: cell.value })

  const move = (event: KeyboardEvent) => {
    const next = nextCell(tabbableCell, event.key)
    if (next === null) return
    event.preventDefault()
    setTabbableCell(next)
    grid.current?.querySelector<HTMLElement>(`[data-cell="${next}"]`)?.focus()
  }

  return (
    <ChartCard
      title={text('heatmap.title')}
      description={text('heatmap.description', { zone: timeZone })}
      fileName={`usage_heatmap_${period}`}
      isEmpty={busiest.value === 0}
      table={{
        columns: [text('columns.hour'), ...days.map((day) => names.weekday(day, 'short'))],
        rows: hours.map((hour) => [names.hour(hour), ...days.map((day) => heatmap[day * 24 + hour]?.value ?? 0)]),
      }}
    >
      <div className="relative overflow-x-auto pb-1">
        <table
          ref={grid}
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a grid, as arrows move between its cells
          role="grid"
          aria-label={text('heatmap.title')}
          className="w-full min-w-152 table-fixed border-separate border-spacing-0.5 text-12"
          onKeyDown={move}
          onPointerLeave={() => setActiveCell(null)}
        >
          <thead>
            <tr>
              <td className="w-11" />
              {hours.map((hour) => (
                <th key={hour} scope="col" className="font-normal text-muted tabular-nums">
                  <VisuallyHidden>{names.hour(hour)}</VisuallyHidden>
                  <span aria-hidden>{hour % 3 === 0 ? hour : ''}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map((day) => (
              <tr key={day}>
                <th scope="row" aria-label={names.weekday(day)} className="pr-1 text-left font-normal text-muted">
                  {names.weekday(day, 'short')}
                </th>
                {hours.map((hour) => {
                  const cellIndex = day * 24 + hour
                  const cell = heatmap[cellIndex]!
                  return (
                    <td
                      key={hour}
                      data-cell={cellIndex}
                      aria-label={textOf(cell)}
                      title={textOf(cell)}
                      tabIndex={cellIndex === tabbableCell ? 0 : -1}
                      className={classNames('h-6 rounded-[3px] [print-color-adjust:exact]', shadeOf(cell.intensity))}
                      onPointerEnter={() => setActiveCell(cellIndex)}
                      onFocus={() => {
                        setActiveCell(cellIndex)
                        setTabbableCell(cellIndex)
                      }}
                      onBlur={() => setActiveCell(null)}
                    />
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className="mt-3 flex flex-wrap items-center justify-between gap-x-6 gap-y-2 text-12">
        <p aria-hidden className="min-h-4 font-medium">
          {textOf(activeCell === null ? busiest : heatmap[activeCell]!)}
          {activeCell === null && <span className="ml-2 font-normal text-muted">{text('heatmap.busiest')}</span>}
        </p>
        <div aria-hidden className="flex items-center gap-1 text-muted">
          <span className="mr-1">{text('heatmap.quiet')}</span>
          {shades.map((shade) => (
            <span key={shade} className={classNames('size-3.5 rounded-[3px] [print-color-adjust:exact]', shade)} />
          ))}
          <span className="ml-1">{text('heatmap.busy', { count: format.number(busiest.value) })}</span>
        </div>
      </div>
    </ChartCard>
  )
}

const days = Array.from({ length: 7 }, (_, day) => day)
const hours = Array.from({ length: 24 }, (_, hour) => hour)
