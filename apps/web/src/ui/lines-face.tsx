import { classNames } from './class-names.ts'
import { VisuallyHidden } from './visually-hidden.tsx'

/**
 * Thumbnail of a text without a picture: its first lines, filling the parent. Hidden from screen readers when it has no
 * name.
 */
export function LinesFace({ lines, name, isBelowBadge = false }: LinesFaceProps) {
  return (
    <span
      aria-hidden={name === undefined || undefined}
      data-face="lines"
      className={classNames(
        'absolute inset-0 overflow-hidden bg-surface-raised px-3.5 text-left text-12 leading-4.5 wrap-anywhere whitespace-pre-line text-muted mask-b-from-60% first-line:font-semibold first-line:text-text',
        isBelowBadge ? 'pt-10' : 'pt-3.5',
      )}
    >
      {name !== undefined && <VisuallyHidden>{name}: </VisuallyHidden>}
      {lines}
    </span>
  )
}

type LinesFaceProps = {
  lines: string
  name?: string | undefined
  /** Something stands on its upper edge. */
  isBelowBadge?: boolean
}
