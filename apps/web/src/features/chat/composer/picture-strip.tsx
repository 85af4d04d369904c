import { Image, X } from 'lucide-react'
import { useText } from '../../../lib/i18n/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { ThumbhashImage } from '../../../ui/thumbhash-image.tsx'
import { Tooltip } from '../../../ui/tooltip.tsx'
import type { OutgoingPicture } from '../conversation/conversation-state.ts'

/** Pictures of the next message, each with a button to remove it. */
export function PictureStrip({ pictures, onRemove, onClear }: PictureStripProps) {
  const text = useText('chat')
  return (
    <section
      aria-label={text('pictures.chosen')}
      className="flex w-full flex-wrap items-start gap-3 border-b border-border px-3 pt-3 pb-2"
    >
      <ul className="flex min-w-0 flex-wrap gap-3">
        {pictures.map(({ url, name }) => (
          <li key={url} className="relative">
            <span className="relative block size-16 overflow-hidden rounded-control border border-border bg-surface-sunken">
              <ThumbhashImage src={url} hash={null} alt={name} fallback={<PicturePlaceholder name={name} />} />
            </span>
            <Tooltip text={text('pictures.remove', { name })} describes={false}>
              <button
                type="button"
                aria-label={text('pictures.remove', { name })}
                onClick={() => onRemove(url)}
                className="absolute -top-2 -right-2 grid size-6 touch-area place-items-center rounded-full border border-border-float bg-control transition-colors shade-on-hover"
              >
                <X aria-hidden className="size-3.5" />
              </button>
            </Tooltip>
          </li>
        ))}
      </ul>
      <Button size="sm" variant="ghost" className="ml-auto" onClick={onClear}>
        {text('pictures.clearAll')}
      </Button>
    </section>
  )
}

/** Shown for a picture that this browser can't display; once it's sent, the server can. */
function PicturePlaceholder({ name }: { name: string }) {
  return (
    <span
      role="img"
      aria-label={name}
      className="grid size-full content-center justify-items-center gap-0.5 px-1 text-muted"
    >
      <Image aria-hidden className="size-5" />
      <span aria-hidden className="max-w-full truncate text-12">
        {/\.([^.]+)$/.exec(name)?.[1]?.toUpperCase() ?? name}
      </span>
    </span>
  )
}

type PictureStripProps = {
  pictures: readonly OutgoingPicture[]
  onRemove: (url: string) => void
  onClear: () => void
}
