import { X } from 'lucide-react'
import { useText } from '../../../lib/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { Tooltip } from '../../../ui/tooltip.tsx'
import type { OutgoingPicture } from '../conversation/conversation-tools.ts'

/** The pictures that will go with the next message, each with a button that takes it away. */
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
            <img
              src={url}
              alt={name}
              className="size-16 rounded-control border border-border bg-surface-sunken object-cover"
            />
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

type PictureStripProps = {
  pictures: readonly OutgoingPicture[]
  onRemove: (url: string) => void
  onClear: () => void
}
