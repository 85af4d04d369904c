import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { MediaIcon } from './media-icon.tsx'
import { LoadingRegion, Skeleton } from './skeleton.tsx'
import { ThumbhashImage } from './thumbhash-image.tsx'

/** Grid of items to choose from, in a dialog. */
export function MediaTiles({ children }: { children: ReactNode }) {
  return <ul className="grid grid-cols-2 gap-3 sm:grid-cols-4">{children}</ul>
}

/** Selectable item; with `isChosen` a toggle, for multiple selection. */
export function MediaTile({ name, src, hash, type, corner, isChosen, isDisabled, onPick }: MediaTileProps) {
  return (
    <li className="min-w-0">
      <button
        type="button"
        aria-pressed={isChosen}
        disabled={isDisabled}
        onClick={onPick}
        className="group block w-full rounded-card text-left disabled:cursor-not-allowed disabled:opacity-55"
      >
        <span
          className={classNames(
            'relative block aspect-square overflow-hidden rounded-card bg-surface-sunken',
            isChosen ? 'ring-3 ring-accent' : 'ring-1 ring-border group-hover:ring-border-strong',
          )}
        >
          <ThumbhashImage
            src={src}
            hash={hash}
            alt=""
            // pages are easiest to recognise by their top
            className={type === 'document' ? '[&_img]:object-top' : undefined}
            fallback={
              <span className="absolute inset-0 grid place-items-center text-muted">
                <MediaIcon type={type} className="size-7" />
              </span>
            }
          />
          {isChosen && (
            <span className="absolute top-1.5 left-1.5 grid size-6 place-items-center rounded-full bg-accent text-on-accent">
              <Check aria-hidden className="size-4" strokeWidth={3} />
            </span>
          )}
          {corner && (
            <span className="absolute right-1.5 bottom-1.5 rounded-full bg-surface-overlay px-1.5 text-12 font-medium tabular-nums">
              {corner}
            </span>
          )}
        </span>
        <span className="mt-1 block truncate text-12">{name}</span>
      </button>
    </li>
  )
}

/** Placeholder while tiles are loading. */
export function MediaTilesSkeleton({ label }: { label: string }) {
  return (
    <LoadingRegion label={label} className="grid grid-cols-2 gap-3 sm:grid-cols-4">
      {Array.from({ length: 8 }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders are identical and never reordered
        <Skeleton key={index} className="aspect-square rounded-card" />
      ))}
    </LoadingRegion>
  )
}

type MediaTileProps = {
  name: string
  src: string | null
  hash: string | null
  type: Parameters<typeof MediaIcon>[0]['type']
  /** Short text over the picture. */
  corner: string | null
  isChosen?: boolean
  isDisabled?: boolean
  onPick: () => void
}
