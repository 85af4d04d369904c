import { BookmarkPlus, CircleCheck, RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { useFormat } from '../../lib/format.ts'
import { useText } from '../../lib/i18n.ts'
import { Card } from '../../ui/card.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { CompareDialog } from './compare-dialog.tsx'
import { DownloadButton } from './download-button.tsx'
import { useEffectTexts } from './effect-texts.ts'
import type { StudioPicture } from './use-effect-job.ts'
import { useKeep } from './use-keep.ts'

const MEBIBYTE = 1024 * 1024

/** One picture that was made: what it looks like, how large it is, and what can be done with it. */
export function ResultCard({ image, before, onUseAgain }: ResultCardProps) {
  const text = useText('effects')
  const format = useFormat()
  const effectTexts = useEffectTexts()
  const [isLarge, setIsLarge] = useState(false)
  const { result, steps } = image
  const keep = useKeep(result.download_id ?? '')
  const title = effectTexts.title(result.effect_display_name, steps)
  const { download_id: id, thumbnail, file_size_mb: size, processed_size: pixels } = result
  if (id === null) return null
  return (
    <li className="min-w-0">
      <Card flush className="overflow-hidden">
        <button
          type="button"
          aria-label={text('compare.openNamed', { name: title })}
          onClick={() => setIsLarge(true)}
          className="relative block aspect-4/3 w-full cursor-zoom-in bg-surface-sunken focus-visible:-outline-offset-2"
        >
          {thumbnail && <img src={thumbnail} alt="" className="absolute inset-0 size-full object-contain" />}
        </button>
        <div className="border-t border-border p-3">
          <p className="truncate text-14 font-medium" title={title}>
            {title}
          </p>
          <p className="mt-0.5 text-12 text-muted tabular-nums">
            {[
              size === null ? null : format.megabytes(size * MEBIBYTE),
              pixels === null ? null : `${pixels[0]} × ${pixels[1]}`,
            ]
              .filter((part) => part !== null)
              .join(' · ')}
          </p>
          <div className="mt-3 flex items-center gap-1">
            <DownloadButton id={id} name={title} />
            <span className="ml-auto flex">
              <IconButton
                name={text(keep.isKept ? 'keep.kept' : 'keep.action')}
                icon={keep.isKept ? <CircleCheck aria-hidden /> : <BookmarkPlus aria-hidden />}
                loading={keep.isKeeping}
                onClick={() => void keep.keep()}
              />
              <IconButton name={text('useAgain')} icon={<RotateCcw aria-hidden />} onClick={onUseAgain} />
            </span>
          </div>
        </div>
      </Card>
      <CompareDialog open={isLarge} onOpenChange={setIsLarge} image={image} before={before} />
    </li>
  )
}

type ResultCardProps = {
  image: StudioPicture
  /** The picture that it was made of. */
  before: string | null
  onUseAgain: () => void
}
