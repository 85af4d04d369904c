import { LoaderCircle } from 'lucide-react'
import { classNames } from './class-names.ts'
import { VisuallyHidden } from './visually-hidden.tsx'

const sizes = { sm: 'size-4', md: 'size-5', lg: 'size-8' }

/** Spinner. With a `label`, screen readers announce it; without one, it's decoration beside a text. */
export function Spinner({ label, size = 'md', className }: SpinnerProps) {
  const icon = (
    <LoaderCircle aria-hidden className={classNames('shrink-0 animate-spin', sizes[size], !label && className)} />
  )
  if (!label) return icon
  return (
    <span role="status" className={classNames('inline-flex', className)}>
      {icon}
      <VisuallyHidden>{label}</VisuallyHidden>
    </span>
  )
}

export type SpinnerProps = { label?: string; size?: keyof typeof sizes; className?: string }
