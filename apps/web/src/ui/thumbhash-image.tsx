import { type ComponentProps, type ReactNode, useState } from 'react'
import { thumbHashToDataURL } from 'thumbhash'
import { classNames } from './class-names.ts'
import { useIsPainted } from './use-is-painted.ts'

const MAX_CACHED = 500

/** Cache of placeholders, oldest first. */
const placeholders = new Map<string, string>()

/**
 * Picture that fills its container: first blurred, then sharp, without a layout shift. The container defines the size
 * (`relative`, and a height); `fallback` is shown when there is no picture or it can't be loaded.
 */
export function ThumbhashImage({
  src,
  sizes,
  hash,
  alt,
  fit = 'cover',
  loadPriority = null,
  fallback,
  onFailed,
  className,
}: ThumbhashImageProps) {
  const [loadedSrc, setLoadedSrc] = useState<string | null>(null)
  const [failedSrc, setFailedSrc] = useState<string | null>(null)
  // Drawing blurs is the slowest part of a page of pictures, so it waits for the first paint; by then pictures may have loaded.
  const isPainted = useIsPainted()
  const needsPlaceholder = loadedSrc !== src && (loadPriority === null || isPainted)
  const placeholder = hash !== null && needsPlaceholder ? placeholderOf(hash) : null
  const isShown = src !== null && failedSrc !== src
  const isFirst = loadPriority === 'first'
  const fitClass = fit === 'cover' ? 'object-cover' : 'object-contain'
  return (
    <span className={classNames('absolute inset-0 block overflow-hidden', className)}>
      {placeholder !== null && (
        <img aria-hidden alt="" src={placeholder} className={classNames('absolute inset-0 size-full', fitClass)} />
      )}
      {isShown ? (
        <img
          key={src}
          // Set before `src`, which would otherwise be loaded immediately.
          {...sizes}
          src={src}
          alt={alt}
          loading={isFirst ? 'eager' : 'lazy'}
          fetchPriority={loadPriority === null ? 'auto' : isFirst ? 'high' : 'low'}
          // the first pictures are painted together with the content around them, not a frame later
          decoding={isFirst ? 'sync' : 'async'}
          draggable={false}
          onLoad={() => setLoadedSrc(src)}
          onError={() => {
            setFailedSrc(src)
            onFailed?.()
          }}
          className={classNames(
            'absolute inset-0 size-full',
            fitClass,
            !isFirst && 'transition-opacity',
            isFirst || loadedSrc === src || hash === null ? 'opacity-100' : 'opacity-0',
          )}
        />
      ) : (
        placeholder === null && fallback
      )}
    </span>
  )
}

/** Data URL of the blur of a base64 thumbhash; null when it's invalid. */
function placeholderOf(hash: string): string | null {
  const cached = placeholders.get(hash)
  if (cached !== undefined) return cached
  try {
    const dataUrl = thumbHashToDataURL(Uint8Array.from(atob(hash), (character) => character.charCodeAt(0)))
    if (placeholders.size >= MAX_CACHED) {
      const [oldest] = placeholders.keys()
      if (oldest !== undefined) placeholders.delete(oldest)
    }
    placeholders.set(hash, dataUrl)
    return dataUrl
  } catch {
    // An empty placeholder is fine: the picture itself follows anyway.
    return null
  }
}

export type ThumbhashImageProps = {
  src: string | null
  /** The picture in several sizes. */
  sizes?: Pick<ComponentProps<'img'>, 'srcSet' | 'sizes'> | undefined
  /** Thumbhash in base64, shown as a blur until the picture is loaded. */
  hash: string | null
  alt: string
  fit?: 'cover' | 'contain'
  /**
   * Priority among many pictures: `first` loads immediately and appears as it arrives, `later` loads after those; null for a
   * single picture.
   */
  loadPriority?: 'first' | 'later' | null
  fallback?: ReactNode
  /** Called when the picture can't be loaded, such as when its signed URL has expired. */
  onFailed?: () => void
  className?: string
}
