import { classNames } from './class-names.ts'
import { VisuallyHidden } from './visually-hidden.tsx'

/** Maximum length of a first line that counts as a title. */
const MAX_TITLE_CHARACTERS = 80

/**
 * Thumbnail of a text without a picture: its first lines, filling the parent. Hidden from screen readers when it has no
 * name.
 */
export function TextThumbnail({ lines, name, leavesTopFree = false }: TextThumbnailProps) {
  const firstLineEnd = lines.indexOf('\n')
  const titleEnd = firstLineEnd <= MAX_TITLE_CHARACTERS ? Math.max(0, firstLineEnd) : 0
  return (
    <span
      aria-hidden={name === undefined || undefined}
      data-face="lines"
      className={classNames(
        'absolute inset-0 overflow-hidden bg-surface-raised px-3.5 text-left text-12 leading-4.5 wrap-anywhere whitespace-pre-line text-muted mask-b-from-60% first-line:font-semibold first-line:text-text',
        leavesTopFree ? 'pt-10' : 'pt-3.5',
      )}
    >
      {name !== undefined && <VisuallyHidden>{name}: </VisuallyHidden>}
      {titleEnd > 0 && <span className="font-semibold text-text">{lines.slice(0, titleEnd)}</span>}
      {lines.slice(titleEnd)}
    </span>
  )
}

type TextThumbnailProps = {
  lines: string
  name?: string | undefined
  /** True when something covers its upper edge, such as a badge or checkbox. */
  leavesTopFree?: boolean
}
