import { path } from '@mira/client/path'
import type { AttachedMedia, MediaItemJson } from '@mira/shared'
import { X } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router-dom'
import { useText } from '../../../lib/i18n/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { MediaIcon } from '../../../ui/media-icon.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { Tooltip } from '../../../ui/tooltip.tsx'

/** A library item as an attachment of a message. */
export function attachedOf({ id, media_type, thumbnail, metadata }: MediaItemJson): AttachedMedia {
  return { media_id: id, title: metadata.original_filename, media_type, thumbnail, url: path`/gallery/${id}` }
}

/** Library items attached to a message, each with a link while the item exists. */
export function AttachedItems({ media }: { media: readonly AttachedMedia[] }) {
  const text = useText('chat')
  return (
    <ul aria-label={text('attach.label')} className="flex max-w-full flex-wrap justify-end gap-2">
      {media.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items of a message keep their places
        <li key={index} className="max-w-full min-w-0">
          {item.url === null ? (
            <span className="flex min-h-11 items-center gap-2.5 rounded-control border border-border border-dashed px-3 py-1.5 text-13 text-muted">
              <ItemLabel item={item} title={text('attach.deleted', { name: item.title })} />
            </span>
          ) : (
            <Link
              to={item.url}
              className="flex min-h-11 items-center gap-2.5 rounded-control border border-border bg-surface px-3 py-1.5 text-13 transition-colors shade-on-hover hover:border-border-strong"
            >
              <ItemLabel item={item} title={item.title} />
            </Link>
          )}
        </li>
      ))}
    </ul>
  )
}

/** Items attached to the next message, each with a button to remove it. */
export function AttachedStrip({ media, isAttaching, onRemove, onClear }: AttachedStripProps) {
  const text = useText('chat')
  const common = useText('app')
  return (
    <section
      aria-label={text('attach.chosen')}
      className="flex w-full flex-wrap items-start gap-2 border-b border-border px-3 pt-3 pb-2"
    >
      <ul className="flex min-w-0 flex-wrap gap-2">
        {media.map((item) => (
          <li
            key={item.media_id}
            className="flex max-w-64 min-w-0 items-center gap-2 rounded-control border border-border bg-surface py-1 pr-1 pl-2 text-13"
          >
            <ItemLabel item={item} title={item.title} />
            <Tooltip text={text('attach.remove', { name: item.title })} describes={false}>
              <button
                type="button"
                aria-label={text('attach.remove', { name: item.title })}
                onClick={() => item.media_id !== null && onRemove(item.media_id)}
                className="relative grid size-6 shrink-0 touch-area place-items-center rounded-full transition-colors shade-on-hover"
              >
                <X aria-hidden className="size-3.5" />
              </button>
            </Tooltip>
          </li>
        ))}
      </ul>
      {isAttaching && <Spinner size="sm" label={common('common.loading')} className="py-2" />}
      {media.length > 1 && (
        <Button size="sm" variant="ghost" className="ml-auto" onClick={onClear}>
          {text('pictures.clearAll')}
        </Button>
      )}
    </section>
  )
}

function ItemLabel({ item, title }: { item: AttachedMedia; title: string }) {
  const [hasPicture, setHasPicture] = useState(item.thumbnail !== null)
  return (
    <>
      {item.thumbnail !== null && hasPicture ? (
        // The URL of its thumbnail may have expired since the item was chosen.
        <img
          src={item.thumbnail}
          alt=""
          loading="lazy"
          decoding="async"
          className="size-8 shrink-0 rounded-control object-cover"
          onError={() => setHasPicture(false)}
        />
      ) : (
        <MediaIcon
          type={item.media_type as Parameters<typeof MediaIcon>[0]['type']}
          className="size-4 shrink-0 text-muted"
        />
      )}
      <span className="truncate">{title}</span>
    </>
  )
}

type AttachedStripProps = {
  media: readonly AttachedMedia[]
  /** True while another item is being fetched. */
  isAttaching: boolean
  onRemove: (mediaId: string) => void
  onClear: () => void
}
