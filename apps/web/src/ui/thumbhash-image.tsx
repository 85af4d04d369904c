import { type ComponentProps, type ReactNode, useState } from 'react'
import { thumbHashToDataURL } from 'thumbhash'
import { classNames } from './class-names.ts'
import { useIsPainted } from './use-is-painted.ts'

const MAX_KEPT = 500

/** Placeholders that were drawn, the latest last. */
const placeholders = new Map<string, string>()

/**
 * A picture that fills its place: first a blur of it, then the picture, without a jump. The place has the size
 * (`relative`, and a height); `fallback` is shown where there is no picture or it cannot be loaded.
 */
export function ThumbhashImage({
  src,
  sizes,
  hash,
  alt,
  fit = 'cover',
  turn = null,
  fallback,
  onFailed,
  className,
}: ThumbhashImageProps) {
  const [loaded, setLoaded] = useState<string | null>(null)
  const [failed, setFailed] = useState<string | null>(null)
  // drawing blurs takes longer than all else on a screen of pictures: there they wait, and by then the first pictures may have come
  const isPainted = useIsPainted()
  const isWaiting = loaded !== src && (turn === null || isPainted)
  const placeholder = hash !== null && isWaiting ? placeholderOf(hash) : null
  const isShown = src !== null && failed !== src
  const isFirst = turn === 'first'
  const fitClass = fit === 'cover' ? 'object-cover' : 'object-contain'
  return (
    <span className={classNames('absolute inset-0 block overflow-hidden', className)}>
      {placeholder !== null && (
        <img aria-hidden alt="" src={placeholder} className={classNames('absolute inset-0 size-full', fitClass)} />
      )}
      {isShown ? (
        <img
          key={src}
          // before `src`, which would be loaded at once
          {...sizes}
          src={src}
          alt={alt}
          loading={isFirst ? 'eager' : 'lazy'}
          fetchPriority={turn === null ? 'auto' : isFirst ? 'high' : 'low'}
          // what is seen first is painted together with what is around it, not a frame later
          decoding={isFirst ? 'sync' : 'async'}
          draggable={false}
          onLoad={() => setLoaded(src)}
          onError={() => {
            setFailed(src)
            onFailed?.()
          }}
          className={classNames(
            'absolute inset-0 size-full',
            fitClass,
            turn !== 'first' && 'transition-opacity',
            isFirst || loaded === src || hash === null ? 'opacity-100' : 'opacity-0',
          )}
        />
      ) : (
        placeholder === null && fallback
      )}
    </span>
  )
}

/** The blur of a base64 thumbhash as an address; null when it is no thumbhash. */
function placeholderOf(hash: string): string | null {
  const cached = placeholders.get(hash)
  if (cached !== undefined) return cached
  try {
    const dataUrl = thumbHashToDataURL(Uint8Array.from(atob(hash), (character) => character.charCodeAt(0)))
    if (placeholders.size >= MAX_KEPT) {
      const [oldest] = placeholders.keys()
      if (oldest !== undefined) placeholders.delete(oldest)
    }
    placeholders.set(hash, dataUrl)
    return dataUrl
  } catch {
    // Not worth more than a plain place: the picture itself comes anyway.
    return null
  }
}

export type ThumbhashImageProps = {
  src: string | null
  /** The same in several sizes. */
  sizes?: Pick<ComponentProps<'img'>, 'srcSet' | 'sizes'> | undefined
  /** Base64. */
  hash: string | null
  alt: string
  fit?: 'cover' | 'contain'
  /**
   * Priority among many pictures: `first` loads at once and shows as it arrives, `later` loads after those; null for a
   * single picture.
   */
  turn?: 'first' | 'later' | null
  fallback?: ReactNode
  /** Called when the picture cannot be loaded, as when its address has ended. */
  onFailed?: () => void
  className?: string
}
