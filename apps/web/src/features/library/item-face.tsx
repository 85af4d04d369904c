import { useText } from '../../lib/i18n/i18n.ts'
import { DocumentThumbnail } from '../../ui/document-thumbnail.tsx'
import { MediaIcon } from '../../ui/media-icon.tsx'
import { LoadingRegion, Skeleton, SkeletonText } from '../../ui/skeleton.tsx'
import { TextThumbnail } from '../../ui/text-thumbnail.tsx'
import { ThumbhashImage, type ThumbhashImageProps } from '../../ui/thumbhash-image.tsx'
import type { GridItem } from './library-items.ts'
import { waveBars } from './player.ts'

/** Placeholder in the shape of an item view. */
export function ItemSkeleton() {
  const common = useText('app')
  return (
    <LoadingRegion label={common('common.loading')} className="flex flex-1 flex-col gap-6 p-5 @4xl:flex-row">
      <div className="flex-1">
        <Skeleton className="h-[45dvh] rounded-card @4xl:h-[calc(100dvh-10rem)]" />
      </div>
      <div className="@4xl:w-96">
        <Skeleton className="mb-6 h-5 w-40" />
        <SkeletonText lines={6} />
      </div>
    </LoadingRegion>
  )
}

const BARS = 32

/** An item's thumbnail, which is enlarged to the text for a document; a placeholder when there's no thumbnail. */
export function ItemPicture({
  item,
  sizes,
  loadPriority = null,
  hasCornerCheckbox = false,
  onFailed = () => {},
}: ItemPictureProps) {
  const placeholder = <ItemPlaceholder item={item} hasCornerCheckbox={hasCornerCheckbox} />
  return item.type === 'document' && item.thumbnail !== null ? (
    <DocumentThumbnail src={item.thumbnail} fallback={placeholder} onFailed={onFailed} />
  ) : (
    <ThumbhashImage
      src={item.thumbnail}
      sizes={sizes}
      hash={item.thumbhash}
      alt=""
      loadPriority={loadPriority}
      onFailed={onFailed}
      fallback={placeholder}
    />
  )
}

/**
 * Placeholder for an item without a picture: the first lines of a text, a recording's waveform, or an icon of its type.
 */
function ItemPlaceholder({ item: { type, firstLines, waveform }, hasCornerCheckbox }: ItemPlaceholderProps) {
  if (firstLines !== null) return <TextThumbnail lines={firstLines} leavesTopFree={hasCornerCheckbox} />
  if (waveform.length > 0) {
    return (
      <svg
        aria-hidden="true"
        data-face="wave"
        viewBox={`0 0 ${BARS * 4} 100`}
        preserveAspectRatio="none"
        className="absolute inset-x-4 inset-y-[22%] h-[56%] w-[calc(100%-2rem)] fill-accent/70"
      >
        {waveBars(waveform, BARS).map((level, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: bars never move
          <rect key={index} x={index * 4 + 0.75} y={50 - level * 48} width={2.5} height={level * 96} rx={1.25} />
        ))}
      </svg>
    )
  }
  return (
    <span className="absolute inset-0 grid place-items-center p-3 text-muted">
      <MediaIcon type={type} className="size-9" />
    </span>
  )
}

type ItemPlaceholderProps = { item: GridItem; hasCornerCheckbox: boolean }

type ItemPictureProps = {
  item: GridItem
  /** `srcSet` and `sizes`; without them only `item.thumbnail` is loaded. */
  sizes?: ThumbhashImageProps['sizes']
  loadPriority?: ThumbhashImageProps['loadPriority']
  /** True when a checkbox is, or may appear, in the picture's corner. */
  hasCornerCheckbox?: boolean
  onFailed?: () => void
}
