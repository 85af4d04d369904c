import { effectContentTypes, effectExtensions, offeredEffectExtensions } from '@mira/shared/constants/formats'
import { EFFECT_UPLOAD_MAX_BYTES } from '@mira/shared/constants/limits'
import { FolderSearch, ImageOff, ImagePlus, Maximize2, Upload, X } from 'lucide-react'
import { useState } from 'react'
import { useDropzone } from 'react-dropzone'
import { canDrop } from '../../lib/browser/can-drop.ts'
import { usePaste } from '../../lib/browser/use-paste.ts'
import { useFormat } from '../../lib/format/format.ts'
import { useErrorText } from '../../lib/i18n/error-text.ts'
import { useText } from '../../lib/i18n/i18n.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'
import { lazyDialog } from '../../ui/dialog.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { InlineError } from '../../ui/inline-error.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { CompareDialog, CompareSlider } from './compare-dialog.tsx'
import { useEffectTexts } from './effects-queries.ts'
import type { PictureSource } from './source.ts'
import type { Studio } from './use-studio.ts'

/** Library picker, loaded when it's opened. */
const LibraryDialog = lazyDialog(() => import('./library-dialog.tsx').then((module) => module.LibraryDialog))

const accept = [...offeredEffectExtensions.map((ending) => `.${ending}`), ...effectContentTypes].join(',')

/** Picker for the picture, and the picture itself with the newest result over it. */
export function SourcePanel({ studio }: { studio: Studio }) {
  const text = useText('effects')
  const { source, item, chooseFiles, chooseItem } = studio.picture
  const [isChoosing, setIsChoosing] = useState(false)
  usePaste((event, files) => {
    if (files.length === 0) return
    event.preventDefault()
    chooseFiles(files)
  })
  const { getRootProps, getInputProps, isDragActive, open } = useDropzone({
    // `chooseFiles` alone decides which files to accept.
    onDrop: (files, refused) => chooseFiles([...files, ...refused.map(({ file }) => file)]),
    onError: (error) => console.error('Failed to read dropped files', error),
    noClick: true,
    noKeyboard: true,
    noPaste: true,
  })
  return (
    <Card
      flush
      {...getRootProps()}
      className={classNames('overflow-hidden', isDragActive && 'outline-2 outline-focus')}
    >
      <input {...getInputProps({ accept, multiple: false, 'aria-label': text('upload.choose') })} />
      {source ? (
        <ChosenPicture studio={studio} source={source} />
      ) : item ? (
        <ItemState studio={studio} />
      ) : (
        <button
          type="button"
          onClick={open}
          className={classNames(
            'block w-full px-4 pt-7 pb-5 text-center shade-on-hover focus-visible:-outline-offset-2',
            isDragActive && 'bg-accent-soft',
          )}
        >
          <span
            aria-hidden
            className="mx-auto mb-3 grid size-12 place-items-center rounded-card border border-border-float bg-surface-raised text-accent-text"
          >
            <ImagePlus className="size-5.5" />
          </span>
          <span className="block text-16 font-semibold">
            {text(isDragActive ? 'upload.active' : canDrop ? 'upload.title' : 'upload.phoneTitle')}
          </span>
          <span className="mt-1 block text-13 text-muted">{text('upload.hint')}</span>
          <span className={buttonClass({ variant: 'primary', className: 'mt-4' })}>
            <Upload aria-hidden />
            {text('upload.choose')}
          </span>
        </button>
      )}
      <Rejection studio={studio} />
      <div className="flex flex-wrap justify-center gap-2 border-t border-border p-3">
        {(source || item) && (
          <Button size="sm" icon={<Upload aria-hidden />} onClick={open}>
            {text('upload.another')}
          </Button>
        )}
        <Button size="sm" icon={<FolderSearch aria-hidden />} onClick={() => setIsChoosing(true)}>
          {text('upload.library')}
        </Button>
      </div>
      {isChoosing && (
        <LibraryDialog
          onClose={() => setIsChoosing(false)}
          onChoose={(mediaId, frameNumber) => {
            chooseItem(mediaId, frameNumber)
            setIsChoosing(false)
          }}
        />
      )}
    </Card>
  )
}

function ChosenPicture({ studio, source }: { studio: Studio; source: PictureSource }) {
  const text = useText('effects')
  const format = useFormat()
  const effectTexts = useEffectTexts()
  const { shownImage, show } = studio
  const [isLarge, setIsLarge] = useState(false)
  const title = shownImage ? effectTexts.title(shownImage.result.effect_display_name, shownImage.steps) : null
  const details = [
    source.sizeBytes === null ? null : format.megabytes(source.sizeBytes),
    source.kind === 'item' && source.frameNumber !== null ? text('upload.part', { number: source.frameNumber }) : null,
  ]
  return (
    <>
      <div className="relative grid h-58 place-items-center bg-surface-sunken">
        {shownImage?.result.url && source.previewUrl ? (
          <CompareSlider
            key={shownImage.result.download_id}
            before={source.previewUrl}
            after={shownImage.result.url}
            title={title ?? ''}
            size={shownImage.result.processed_size}
            height="14.5rem"
          />
        ) : (
          <Preview key={source.previewUrl} source={source} />
        )}
      </div>
      {shownImage && (
        <div className="flex items-center gap-1 border-t border-border py-1 pr-2 pl-4">
          <p className="min-w-0 flex-1 truncate text-13 font-medium">{title}</p>
          <Button size="sm" variant="ghost" onClick={() => show(null)}>
            {text('compare.original')}
          </Button>
          <IconButton
            size="sm"
            name={text('compare.open')}
            icon={<Maximize2 aria-hidden />}
            onClick={() => setIsLarge(true)}
          />
          <CompareDialog open={isLarge} onOpenChange={setIsLarge} image={shownImage} before={source.previewUrl} />
        </div>
      )}
      <div className="flex items-center gap-3 border-t border-border py-2 pr-2 pl-4">
        <div className="min-w-0 flex-1">
          <p className="truncate text-14 font-medium" title={source.name}>
            {source.name}
          </p>
          <p className="text-12 text-muted tabular-nums">{details.filter((part) => part !== null).join(' · ')}</p>
        </div>
        <IconButton
          variant="danger"
          name={text('upload.remove')}
          icon={<X aria-hidden />}
          onClick={studio.picture.remove}
        />
      </div>
    </>
  )
}

function Preview({ source }: { source: PictureSource }) {
  const text = useText('effects')
  const [isBroken, setIsBroken] = useState(false)
  if (source.previewUrl === null && source.kind === 'item') return null
  if (source.previewUrl === null || isBroken) {
    return (
      <p className="flex flex-col items-center gap-2 px-4 text-center text-13 text-muted">
        <ImageOff aria-hidden className="size-6" />
        {text('upload.noPreview')}
      </p>
    )
  }
  return (
    <img
      src={source.previewUrl}
      alt={text('upload.preview', { name: source.name })}
      onError={() => setIsBroken(true)}
      className="absolute inset-0 size-full object-contain"
    />
  )
}

/** State of an item that's being loaded or couldn't be loaded. */
function ItemState({ studio }: { studio: Studio }) {
  const text = useText('effects')
  const common = useText('app')
  const errorText = useErrorText()
  const { item, remove } = studio.picture
  if (!item) return null
  if (item.isLoading) return <Skeleton className="h-58 rounded-none" />
  return (
    <div className="grid h-40 place-content-center justify-items-center gap-3 px-4">
      {item.hasNoPicture ? (
        <p className="text-center text-14 text-muted">{text('upload.noPicture')}</p>
      ) : (
        <InlineError text={errorText(item.error)} retryLabel={common('common.retry')} onRetry={item.retry} />
      )}
      <Button size="sm" variant="ghost" icon={<X aria-hidden />} onClick={remove}>
        {text('upload.remove')}
      </Button>
    </div>
  )
}

/** Reason for rejecting files; the earlier picture stays. */
function Rejection({ studio }: { studio: Studio }) {
  const text = useText('effects')
  const { rejection } = studio.picture
  const texts = {
    type: () => text('rejected.type', { types: effectExtensions.join(', ') }),
    'too-large': () => text('rejected.tooLarge', { bytes: String(EFFECT_UPLOAD_MAX_BYTES) }),
    several: () => text('rejected.several'),
  }
  return (
    <p role="status" className={rejection ? 'border-t border-border px-4 py-2 text-13 text-warning-text' : undefined}>
      {rejection && texts[rejection]()}
    </p>
  )
}
