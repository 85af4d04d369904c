import { ArrowDownRight, ArrowRight, ArrowUpRight, Info } from 'lucide-react'
import type { ReactNode } from 'react'
import { Card } from './card.tsx'
import { classNames } from './class-names.ts'
import { Skeleton } from './skeleton.tsx'
import { Tooltip } from './tooltip.tsx'
import { VisuallyHidden } from './visually-hidden.tsx'

const arrows = { up: ArrowUpRight, down: ArrowDownRight, flat: ArrowRight }
const changeTones = { good: 'text-success-text', bad: 'text-danger-text', neutral: 'text-muted' }

/**
 * A measured figure with its name. `null` means that it wasn't measured: an em dash is shown, and `explanation` or `note`
 * says why; for a measured figure the explanation says how it's counted.
 */
export function StatCard({ label, value, unit, change, note, icon, explanation, loading, className }: StatCardProps) {
  const Arrow = change && arrows[change.direction]
  return (
    <Card className={classNames('flex flex-col gap-3', className)}>
      <div className="flex items-center justify-between gap-3">
        <div className="flex min-w-0 items-center gap-1.5 text-13 font-medium text-muted">
          <span className="min-w-0 wrap-break-word sm:truncate">{label}</span>
          {explanation && (
            <Tooltip text={explanation} opensOnTap>
              <button
                type="button"
                aria-label={label}
                className="relative shrink-0 touch-area rounded-full hover:text-text"
              >
                <Info aria-hidden className="size-3.5" />
              </button>
            </Tooltip>
          )}
        </div>
        {icon && (
          // On a phone, two cards side by side have space for the name only.
          <span aria-hidden className="shrink-0 text-muted max-[430px]:hidden [&_svg]:size-4.5">
            {icon}
          </span>
        )}
      </div>
      {loading ? (
        <Skeleton className="h-7 w-20" />
      ) : (
        <div className="flex flex-col gap-1.5">
          <span className={classNames('text-24 font-semibold tabular-nums', value === null && 'text-muted')}>
            {value === null ? (
              <>
                <span aria-hidden>—</span>
                {explanation && <VisuallyHidden>{explanation}</VisuallyHidden>}
              </>
            ) : (
              value
            )}
            {value !== null && unit && <span className="ml-1 text-14 font-medium text-muted">{unit}</span>}
          </span>
          {change && Arrow && (
            <span className={classNames('flex items-start gap-1 text-12 font-medium', changeTones[change.tone])}>
              <Arrow aria-hidden className="mt-px size-3.5 shrink-0" />
              {change.text}
            </span>
          )}
          {note && <span className="text-12 text-muted">{note}</span>}
        </div>
      )}
    </Card>
  )
}

export type StatCardProps = {
  label: string
  value: ReactNode | null
  unit?: string
  change?: { text: string; direction: keyof typeof arrows; tone: keyof typeof changeTones }
  /** Line below the figure, and below the change, if any. */
  note?: ReactNode
  icon?: ReactNode
  explanation?: string
  loading?: boolean
  className?: string
}
