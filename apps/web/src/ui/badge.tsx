import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

const tones = {
  neutral: 'border-border bg-hover text-muted',
  accent: 'border-transparent bg-accent-soft text-accent-text',
  ai: 'border-transparent bg-ai-soft text-ai-text',
  success: 'border-transparent bg-success-soft text-success-text',
  warning: 'border-transparent bg-warning-soft text-warning-text',
  danger: 'border-transparent bg-danger-soft text-danger-text',
}

/** Classes of a badge, for buttons that look like one. */
export function badgeClass(tone: BadgeTone = 'neutral', className?: string): string {
  return classNames(
    'inline-flex max-w-full items-center gap-1 rounded-full border px-2 py-0.5 text-12 font-medium whitespace-nowrap [&_svg]:size-3.5 [&_svg]:shrink-0',
    tones[tone],
    className,
  )
}

/** Label for a state or type; the colour never carries meaning alone. */
export function Badge({ tone, icon, className, children }: BadgeProps) {
  return (
    <span className={badgeClass(tone, className)}>
      {icon}
      <span className="truncate">{children}</span>
    </span>
  )
}

export type BadgeTone = keyof typeof tones
export type BadgeProps = { tone?: BadgeTone; icon?: ReactNode; className?: string; children: ReactNode }
