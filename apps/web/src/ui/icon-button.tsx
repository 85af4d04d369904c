import type { ComponentProps, ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Spinner } from './spinner.tsx'
import { Tooltip } from './tooltip.tsx'

const variants = {
  ghost: 'border-transparent text-muted shade-on-hover enabled:hover:text-text',
  secondary: 'border-border-float bg-control text-text shade-on-hover',
  primary: 'border-transparent bg-accent text-on-accent enabled:hover:bg-accent-hover',
  danger: 'border-transparent text-muted enabled:hover:bg-danger-soft enabled:hover:text-danger-text',
}

const sizes = { sm: 'size-8 [&_svg]:size-4', md: 'size-9 [&_svg]:size-4.5', lg: 'size-11 [&_svg]:size-5' }

/** Button with only an icon; its `name` is the accessible name and tooltip. */
export function IconButton({
  name,
  icon,
  variant = 'ghost',
  size = 'md',
  loading = false,
  tooltipSide,
  className,
  ...rest
}: IconButtonProps) {
  return (
    <Tooltip text={name} side={tooltipSide} describes={false}>
      <button
        type="button"
        {...rest}
        aria-label={name}
        aria-busy={loading || undefined}
        disabled={rest.disabled || loading}
        className={classNames(
          'inline-flex shrink-0 touch-target items-center justify-center rounded-control border transition-colors',
          'disabled:cursor-not-allowed disabled:opacity-55',
          variants[variant],
          sizes[size],
          className,
        )}
      >
        {loading ? <Spinner size="sm" /> : icon}
      </button>
    </Tooltip>
  )
}

export type IconButtonProps = Omit<ComponentProps<'button'>, 'name' | 'children' | 'aria-label'> & {
  name: string
  icon: ReactNode
  variant?: keyof typeof variants
  size?: keyof typeof sizes
  loading?: boolean
  tooltipSide?: 'top' | 'bottom'
}
