import { useQuery } from '@tanstack/react-query'
import { BookmarkPlus, CircleCheck, RotateCcw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { EffectImage } from '../../api/effects.ts'
import { useFormat } from '../../lib/format.ts'
import { useLanguage, useText } from '../../lib/i18n.ts'
import { Card } from '../../ui/card.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { CompareDialog } from './compare-dialog.tsx'
import { DownloadButton } from './download-button.tsx'
import { useEffectTexts } from './effect-texts.ts'
import { sourceItemQuery } from './effects-queries.ts'
import { useKeep } from './use-keep.ts'

const MEBIBYTE = 1024 * 1024

/** One picture of the effects gallery: its effect, size and day, and what can be done with it. */
export function GalleryCard({ image, onUseAgain, onDelete }: GalleryCardProps) {
  const text = useText('effects')
  const language = useLanguage()
  const format = useFormat()
  const effectTexts = useEffectTexts()
  const keep = useKeep(image.download_id)
  const [isLarge, setIsLarge] = useState(false)
  const { effect_display_name: displayName, recipe, source_media_id: mediaId, created_at: createdAt } = image
  const source = useQuery({ ...sourceItemQuery(mediaId ?? ''), enabled: isLarge && mediaId !== null })
  const title = effectTexts.title(displayName, recipe)
  const isPicture = source.data?.media_type === 'image'
  return (
    <li className="min-w-0">
      <Card flush className="flex h-full flex-col overflow-hidden">
        <button
          type="button"
          aria-label={text('compare.openNamed', { name: title })}
          onClick={() => setIsLarge(true)}
          className="relative block aspect-4/3 w-full cursor-zoom-in bg-surface-sunken focus-visible:-outline-offset-2"
        >
          <img
            src={image.thumbnail}
            alt=""
            loading="lazy"
            decoding="async"
            className="absolute inset-0 size-full object-contain"
          />
        </button>
        <div className="flex flex-1 flex-col border-t border-border p-3">
          {/* In English names are shown with their first underscore as a space. */}
          <h3 className="truncate text-14 font-medium capitalize">
            {language === 'en' ? image.effect_name.replace('_', ' ') : title}
          </h3>
          <p className="truncate text-12 text-muted" title={image.source_filename}>
            {recipe.length > 1 ? title : image.source_filename}
          </p>
          <p className="mt-0.5 flex flex-wrap gap-x-1.5 text-12 text-muted tabular-nums">
            {format.megabytes(image.file_size_mb * MEBIBYTE)}
            <span aria-hidden>·</span>
            <TimeText text={format.date(createdAt)} absolute={format.dateTime(createdAt)} dateTime={createdAt} />
          </p>
          <div className="mt-auto flex items-center gap-1 pt-3">
            <DownloadButton id={image.download_id} name={title} />
            <span className="ml-auto flex">
              <IconButton
                size="sm"
                name={text(keep.isKept ? 'keep.kept' : 'keep.action')}
                icon={keep.isKept ? <CircleCheck aria-hidden /> : <BookmarkPlus aria-hidden />}
                loading={keep.isKeeping}
                onClick={() => void keep.keep()}
              />
              <IconButton size="sm" name={text('useAgain')} icon={<RotateCcw aria-hidden />} onClick={onUseAgain} />
              <IconButton
                size="sm"
                variant="danger"
                name={text('gallery.delete')}
                icon={<Trash2 aria-hidden />}
                onClick={onDelete}
              />
            </span>
          </div>
        </div>
      </Card>
      <CompareDialog
        open={isLarge}
        onOpenChange={setIsLarge}
        image={{ result: image, steps: recipe }}
        before={isPicture ? (source.data?.preview_url ?? null) : null}
      />
    </li>
  )
}

type GalleryCardProps = { image: EffectImage; onUseAgain: () => void; onDelete: () => void }
