import type { ComponentProps, ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Spinner } from './spinner.tsx'

const variants = {
  primary: 'border-transparent bg-accent text-on-accent enabled:hover:bg-accent-hover [a&]:hover:bg-accent-hover',
  secondary: 'border-border-float bg-control text-text shade-on-hover',
  ghost: 'border-transparent text-text shade-on-hover',
  danger: 'border-transparent bg-danger text-on-accent enabled:hover:bg-danger-hover [a&]:hover:bg-danger-hover',
}

const sizes = {
  sm: 'h-8 gap-1.5 px-2.5 text-13 [&_svg]:size-4',
  md: 'h-9 gap-2 px-3.5 text-14 [&_svg]:size-4',
  lg: 'h-11 gap-2 px-5 text-14 [&_svg]:size-5',
}

/** The classes of a button, for links that look like one: `<Link className={buttonClass({ variant: 'primary' })}>`. */
export function buttonClass({ variant = 'secondary', size = 'md', className }: ButtonLook = {}): string {
  return classNames(
    'inline-flex shrink-0 touch-target items-center justify-center rounded-control border font-medium whitespace-nowrap select-none',
    'transition-colors disabled:cursor-not-allowed disabled:opacity-55',
    variants[variant],
    sizes[size],
    className,
  )
}

/**
 * Button. While `loading`, it's disabled and shows a spinner in place of the icon, or else over the hidden label, so its
 * width doesn't change and the label stays its accessible name.
 */
export function Button({ variant, size, icon, loading = false, className, children, ...rest }: ButtonProps) {
  const coversLabel = loading && !icon
  return (
    <button
      type="button"
      {...rest}
      disabled={rest.disabled || loading}
      aria-busy={loading || undefined}
      className={buttonClass({ variant, size, className: classNames(coversLabel && 'relative', className) })}
    >
      {loading ? <Spinner size="sm" className={coversLabel ? 'absolute' : undefined} /> : icon}
      {/* Always an element: a browser's translation replaces the text, which React then couldn't move. */}
      <span className={classNames('contents', coversLabel && 'text-transparent')}>{children}</span>
    </button>
  )
}

export type ButtonLook = { variant?: keyof typeof variants; size?: keyof typeof sizes; className?: string }
export type ButtonProps = ButtonLook & ComponentProps<'button'> & { icon?: ReactNode; loading?: boolean }
