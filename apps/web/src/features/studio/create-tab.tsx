import type { DownloadFormat } from '@mira/shared'
import { MEBIBYTE } from '@mira/shared/constants/limits'
import { useQuery } from '@tanstack/react-query'
import { BookmarkPlus, ChevronDown, CircleCheck, Download, Lightbulb, RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { call } from '../../lib/api/client.ts'
import { downloadEffectImage } from '../../lib/api/effects.ts'
import { saveFile } from '../../lib/browser/save-file.ts'
import { LoadFailed } from '../../lib/components/query-list.tsx'
import { useFormat } from '../../lib/format/format.ts'
import { useErrorText } from '../../lib/i18n/error-text.ts'
import { useText } from '../../lib/i18n/i18n.ts'
import { paths } from '../../lib/session/paths.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'
import { DropdownMenu } from '../../ui/dropdown-menu.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { LoadingRegion, Skeleton } from '../../ui/skeleton.tsx'
import { CompareDialog } from './compare-dialog.tsx'
import { EffectPicker } from './effect-picker.tsx'
import { effectsQuery, useEffectTexts } from './effects-queries.ts'
import { OptionsPanel } from './options-panel.tsx'
import { RecipeBuilder } from './recipe-builder.tsx'
import { SourcePanel } from './source-panel.tsx'
import type { StudioPicture } from './use-effect-job.ts'
import type { Studio } from './use-studio.ts'

const formats = { png: 'PNG', webp: 'WebP', jpeg: 'JPEG', avif: 'AVIF' } satisfies Record<DownloadFormat, string>

/** Saves a picture as PNG, or in another format from the menu beside it. */
export function DownloadButton({ id, name }: { id: string; name: string }) {
  const text = useText('effects')
  const errorText = useErrorText()
  const [isLoading, setIsLoading] = useState(false)
  const download = async (format: DownloadFormat) => {
    setIsLoading(true)
    try {
      saveFile(await downloadEffectImage(id, format))
    } catch (error) {
      console.error('A picture could not be downloaded', error)
      showToast({ tone: 'danger', title: text('download.failed'), description: errorText(error) })
    } finally {
      setIsLoading(false)
    }
  }
  return (
    <span className="flex min-w-0">
      <Button
        size="sm"
        icon={<Download aria-hidden />}
        loading={isLoading}
        onClick={() => void download('png')}
        className="rounded-r-none border-r-0"
      >
        {text('download.action')}
      </Button>
      <DropdownMenu
        align="end"
        trigger={
          <IconButton
            size="sm"
            variant="secondary"
            name={text('download.formats', { name })}
            icon={<ChevronDown aria-hidden />}
            disabled={isLoading}
            className="rounded-l-none"
          />
        }
        entries={(Object.keys(formats) as DownloadFormat[]).map((format) => ({
          key: format,
          label: formats[format],
          onSelect: () => void download(format),
        }))}
      />
    </span>
  )
}

/** Saves a picture to the memory; once saved, the same action opens it. */
export function useSaveToLibrary(downloadId: string) {
  const text = useText('effects')
  const errorText = useErrorText()
  const navigate = useNavigate()
  const [isSaving, setIsSaving] = useState(false)
  const [mediaId, setMediaId] = useState<string | null>(null)
  const open = (id: string) => void navigate(`${paths.gallery}/${id}`)

  return {
    isSaving,
    isSaved: mediaId !== null,
    async save(): Promise<void> {
      if (mediaId !== null) return open(mediaId)
      setIsSaving(true)
      try {
        const { id } = await call('POST /image-effects/effects/gallery/:download_id/keep', {
          params: { download_id: downloadId },
        })
        setMediaId(id)
        showToast({
          tone: 'success',
          title: text('keep.done'),
          action: { label: text('keep.open'), onSelect: () => open(id) },
        })
      } catch (error) {
        console.error('Failed to save a picture', error)
        showToast({ tone: 'danger', title: text('keep.failed'), description: errorText(error) })
      } finally {
        setIsSaving(false)
      }
    },
  }
}

/** A result with its size and actions. */
function ResultCard({ image, before, onUseAgain }: ResultCardProps) {
  const text = useText('effects')
  const format = useFormat()
  const effectTexts = useEffectTexts()
  const [isLarge, setIsLarge] = useState(false)
  const { result, steps } = image
  const keep = useSaveToLibrary(result.download_id ?? '')
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
                name={text(keep.isSaved ? 'keep.kept' : 'keep.action')}
                icon={keep.isSaved ? <CircleCheck aria-hidden /> : <BookmarkPlus aria-hidden />}
                loading={keep.isSaving}
                onClick={() => void keep.save()}
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
  /** The original; null when it no longer exists. */
  before: string | null
  onUseAgain: () => void
}

/** Results for the picture, the newest first, and the failures. */
function ResultsGrid({ studio }: { studio: Studio }) {
  const text = useText('effects')
  const effectTexts = useEffectTexts()
  const { images, failures } = studio
  return (
    <>
      <p role="status" className="sr-only">
        {images.length > 0 && text('results.announced', { count: images.length })}
      </p>
      {failures.length > 0 && (
        <Banner
          tone="warning"
          title={text('results.failed', { count: failures.length })}
          dismissLabel={text('results.dismiss')}
          onDismiss={studio.dismissFailures}
        >
          <ul className="flex flex-col gap-1">
            {failures.map(({ result, steps }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: failures have no ids
              <li key={index}>
                <span className="font-medium">{effectTexts.title(result.effect_display_name, steps)}</span>
                {result.error && <span className="text-muted">: {result.error}</span>}
              </li>
            ))}
          </ul>
        </Banner>
      )}
      {images.length > 0 && (
        <section id="processed-images" aria-labelledby="processed-images-title" className="scroll-mt-20">
          <h2 id="processed-images-title" className="mb-3 text-16 font-semibold">
            {text('results.title', { count: images.length })}
          </h2>
          <ul className="grid grid-cols-1 gap-3 sm:grid-cols-2 xl:grid-cols-3">
            {images.map((image) => (
              <ResultCard
                key={image.result.download_id}
                image={image}
                before={studio.picture.source?.previewUrl ?? null}
                onUseAgain={() => studio.repeat(image.steps, null)}
              />
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

const tips = ['size', 'intensity', 'ai', 'batch'] as const

/** Tips for good results. */
function Tips() {
  const text = useText('effects')
  return (
    <Card>
      <h2 className="flex items-center gap-2 text-14 font-semibold">
        <Lightbulb aria-hidden className="size-4.5 text-warning-text" />
        {text('tips.title')}
      </h2>
      <ul className="mt-3 grid gap-x-6 gap-y-2 text-13 text-muted sm:grid-cols-2">
        {tips.map((tip) => (
          <li key={tip} className="flex gap-2">
            <span aria-hidden className="mt-2 size-1 shrink-0 rounded-full bg-border-strong" />
            {text(`tips.${tip}`)}
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** The Create tab: choose a picture and effects, and see the results; the picture stays visible beside the effects. */
export function CreateTab({ studio }: { studio: Studio }) {
  const effects = useQuery(effectsQuery)
  return (
    <div
      className={classNames(
        'grid grid-cols-1 items-start gap-6 lg:grid-cols-[22rem_minmax(0,1fr)]',
        // Space for the bar at the bottom of a phone.
        studio.picture.source && 'max-lg:pb-24',
      )}
    >
      {/* In a short window the picture scrolls, so that the "apply" button stays visible. */}
      <div className="flex min-w-0 flex-col gap-4 lg:sticky lg:top-18 lg:max-h-[calc(100dvh-5.5rem)]">
        <div className="min-h-24 lg:overflow-y-auto lg:scrollbar-none">
          <SourcePanel studio={studio} />
        </div>
        <OptionsPanel studio={studio} available={effects.data ?? null} className="shrink-0" />
      </div>
      <div className="flex min-w-0 flex-col gap-6">
        {studio.selection.mode === 'stack' && effects.data && (
          <RecipeBuilder studio={studio} available={effects.data} />
        )}
        <ResultsGrid studio={studio} />
        {effects.data ? (
          <EffectPicker studio={studio} available={effects.data} />
        ) : effects.isLoadingError ? (
          <LoadFailed query={effects} className="py-6" />
        ) : (
          <PickerSkeleton />
        )}
        <Tips />
      </div>
    </div>
  )
}

function PickerSkeleton() {
  const text = useText('app')
  return (
    <LoadingRegion label={text('common.loading')} className="grid grid-cols-2 gap-3 sm:grid-cols-3 xl:grid-cols-4">
      {Array.from({ length: 12 }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders are alike and never move
        <Skeleton key={index} className="h-56 rounded-card" />
      ))}
    </LoadingRegion>
  )
}
