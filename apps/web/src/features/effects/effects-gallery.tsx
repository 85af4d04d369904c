import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { Images, RefreshCw } from 'lucide-react'
import { deleteEffectImage, type EffectImage, type EffectsGalleryPage } from '../../api/effects.ts'
import { useErrorText } from '../../lib/error-text.ts'
import { useText } from '../../lib/i18n.ts'
import { LoadFailed } from '../../lib/load-failed.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { useConfirm } from '../../ui/confirm-dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { LoadingRegion, Skeleton } from '../../ui/skeleton.tsx'
import { galleryQuery } from './effects-queries.ts'
import { GalleryCard } from './gallery-card.tsx'

const gridClass = 'grid grid-cols-1 gap-4 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-4'

/** Every picture that effects made, the newest first. */
export function EffectsGallery({ onCreate, onUseAgain, onDeleted }: EffectsGalleryProps) {
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
          {gallery.hasNextPage && (
            <LoadMore
              className="mt-6"
              label={common('common.loadMore')}
              loading={gallery.isFetchingNextPage}
              onLoadMore={() => void gallery.fetchNextPage()}
            />
          )}
        </>
      )}
    </section>
  )
}

/** Asks, and deletes a picture for good. */
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
      await deleteEffectImage(id)
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
