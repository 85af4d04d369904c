import { classNames } from './class-names.ts'

const sizes = { sm: 'size-7 text-12', md: 'size-9 text-13', lg: 'size-12 text-16' }
const tints = [
  'bg-accent-soft text-accent-text',
  'bg-warning-soft text-warning-text',
  'bg-success-soft text-success-text',
  'bg-pressed text-text',
]

/** A user's initials on a colour derived from the name; decoration beside the written name. */
export function Avatar({ name, size = 'md', className }: AvatarProps) {
  return (
    <span
      aria-hidden
      className={classNames(
        'inline-grid shrink-0 place-items-center rounded-full font-semibold select-none',
        sizes[size],
        tintOf(name),
        className,
      )}
    >
      {initialsOf(name)}
    </span>
  )
}

/** The first letters of the first and the last word, at most two. */
function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/)
  const ends = words.length > 1 ? [words[0]!, words[words.length - 1]!] : words
  return ends.map((word) => firstLetterOf(word).toLocaleUpperCase()).join('')
}

/** First letter as the user sees it: it may have accents or be an emoji. */
function firstLetterOf(word: string): string {
  const [first] = new Intl.Segmenter().segment(word)
  return first?.segment ?? ''
}

function tintOf(name: string): string {
  const sum = [...name].reduce((total, letter) => (total * 31 + letter.codePointAt(0)!) % 9973, 0)
  return tints[sum % tints.length]!
}

export type AvatarProps = { name: string; size?: keyof typeof sizes; className?: string }
