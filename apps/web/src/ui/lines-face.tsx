import { classNames } from './class-names.ts'
import { VisuallyHidden } from './visually-hidden.tsx'

/** What stands for a text that has no picture: its first lines, in all of its place. Without a name it is only looked at. */
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
