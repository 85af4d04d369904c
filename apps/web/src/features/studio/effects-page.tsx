import { MEBIBYTE } from '@mira/shared/constants/limits'
import { type InfiniteData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { BookmarkPlus, CircleCheck, Images, RefreshCw, RotateCcw, Trash2, WandSparkles } from 'lucide-react'
import { useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { call } from '../../lib/api/client.ts'
import type { EffectImage, EffectsGalleryPage } from '../../lib/api/effects.ts'
import { LoadFailed, NextPage } from '../../lib/components/query-list.tsx'
import { useFormat } from '../../lib/format/format.ts'
import { useErrorText } from '../../lib/i18n/error-text.ts'
import { useLanguage, useText } from '../../lib/i18n/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { useConfirm } from '../../ui/confirm-dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { LoadingRegion, Skeleton } from '../../ui/skeleton.tsx'
import { TabPanel, Tabs } from '../../ui/tabs.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { CompareDialog } from './compare-dialog.tsx'
import { CreateTab, DownloadButton, useSaveToLibrary } from './create-tab.tsx'
import { galleryQuery, sourceItemQuery, useEffectTexts } from './effects-queries.ts'
import { useStudio } from './use-studio.ts'

/** Picture of the effects gallery with its effect, size, day and actions. */
function GalleryCard({ image, onUseAgain, onDelete }: GalleryCardProps) {
  const text = useText('effects')
  const language = useLanguage()
  const format = useFormat()
  const effectTexts = useEffectTexts()
  const keep = useSaveToLibrary(image.download_id)
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
          {/* English names are shown with their first underscore as a space. */}
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
                name={text(keep.isSaved ? 'keep.kept' : 'keep.action')}
                icon={keep.isSaved ? <CircleCheck aria-hidden /> : <BookmarkPlus aria-hidden />}
                loading={keep.isSaving}
                onClick={() => void keep.save()}
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

const gridClass = 'grid grid-cols-1 gap-4 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-4'

/** All results, the newest first. */
function EffectsGallery({ onCreate, onUseAgain, onDeleted }: EffectsGalleryProps) {
  const text = useText('effects')
  const common = useText('app')
  const gallery = useInfiniteQuery(galleryQuery)
  const remove = useDeletion(onDeleted)
  const images = gallery.data?.pages.flatMap((page) => page.images) ?? []
  return (
    <section aria-labelledby="effects-gallery-title">
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <h2 id="effects-gallery-title" className="text-20 font-semibold">
          {text('gallery.title')}
        </h2>
        <Button
          icon={<RefreshCw aria-hidden />}
          loading={gallery.isRefetching && !gallery.isFetchingNextPage}
          onClick={() => void gallery.refetch()}
        >
          {text('gallery.refresh')}
        </Button>
      </div>
      {gallery.isPending ? (
        <LoadingRegion label={common('common.loading')} className={gridClass}>
          {Array.from({ length: 8 }, (_, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: placeholders are alike and never move
            <Skeleton key={index} className="h-72 rounded-card" />
          ))}
        </LoadingRegion>
      ) : gallery.isLoadingError ? (
        <LoadFailed query={gallery} className="py-6" />
      ) : images.length === 0 ? (
        <Card>
          <EmptyState
            icon={<Images />}
            level={3}
            title={text('gallery.empty')}
            text={text('gallery.emptyText')}
            action={<Button onClick={onCreate}>{text('tabs.create')}</Button>}
          />
        </Card>
      ) : (
        <>
          {gallery.isRefetchError && <LoadFailed query={gallery} className="mb-4" />}
          <ul className={gridClass}>
            {images.map((image) => (
              <GalleryCard
                key={image.download_id}
                image={image}
                onUseAgain={() => onUseAgain(image)}
                onDelete={() => void remove(image)}
              />
            ))}
          </ul>
          <NextPage query={gallery} className="mt-6" />
        </>
      )}
    </section>
  )
}

/** Deletes a picture permanently after a confirmation. */
function useDeletion(onDeleted: (id: string) => void) {
  const text = useText('effects')
  const errorText = useErrorText()
  const confirm = useConfirm()
  const queryClient = useQueryClient()
  return async ({ download_id: id, source_filename: name }: EffectImage) => {
    const isConfirmed = await confirm({
      question: text('gallery.deleteQuestion'),
      detail: text('gallery.deleteDetail', { name }),
      confirmLabel: text('gallery.deleteConfirm'),
      tone: 'danger',
    })
    if (!isConfirmed) return
    try {
      await call('DELETE /image-effects/effects/gallery/:download_id', { params: { download_id: id } })
    } catch (error) {
      console.error('A picture could not be deleted', error)
      showToast({ tone: 'danger', title: text('gallery.deleteFailed'), description: errorText(error) })
      return
    }
    onDeleted(id)
    queryClient.setQueryData<InfiniteData<EffectsGalleryPage, string | null>>(galleryQuery.queryKey, (data) =>
      data
        ? {
            ...data,
            pages: data.pages.map((page) => ({
              ...page,
              images: page.images.filter((image) => image.download_id !== id),
            })),
          }
        : data,
    )
    showToast({ tone: 'success', title: text('gallery.deleted') })
  }
}

type EffectsGalleryProps = {
  onCreate: () => void
  onUseAgain: (image: EffectImage) => void
  onDeleted: (downloadId: string) => void
}

type Tab = 'create' | 'gallery'

/** Page for transforming pictures. */
export function EffectsPage() {
  const text = useText('effects')
  const [params, setParams] = useSearchParams()
  const tab: Tab = params.get('tab') === 'gallery' ? 'gallery' : 'create'
  const show = (next: Tab) =>
    setParams((before) => {
      if (next === 'gallery') before.set('tab', next)
      else before.delete('tab')
      return before
    })
  // Outside the tabs, so that the selection and running jobs survive a switch to the gallery.
  const studio = useStudio()
  return (
    <>
      <PageHeader title={text('title')} subtitle={text('subtitle')} />
      <Tabs
        label={text('tabs.label')}
        tabs={[
          { value: 'create', label: text('tabs.create'), icon: <WandSparkles aria-hidden /> },
          { value: 'gallery', label: text('tabs.gallery'), icon: <Images aria-hidden /> },
        ]}
        value={tab}
        onValueChange={show}
      >
        <TabPanel value="create">
          <CreateTab studio={studio} />
        </TabPanel>
        <TabPanel value="gallery">
          <EffectsGallery
            onCreate={() => show('create')}
            onUseAgain={(image) => {
              studio.repeat(image.recipe, image.source_media_id, image.source_frame_number)
              if (image.source_media_id === null) show('create')
            }}
            onDeleted={studio.forget}
          />
        </TabPanel>
      </Tabs>
    </>
  )
}
