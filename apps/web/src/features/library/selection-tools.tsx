import { ARCHIVE_MAX_ITEMS, MESSAGE_MAX_MEDIA } from '@mira/shared/constants/limits'
import { useMutation } from '@tanstack/react-query'
import { CalendarClock, Download, MapPin, MessageCircle, RotateCw, Tag, Trash2, WandSparkles, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { call } from '../../lib/api/client.ts'
import { useErrorText } from '../../lib/i18n/error-text.ts'
import { useText } from '../../lib/i18n/i18n.ts'
import { attachPath } from '../../lib/session/paths.ts'
import { Button, type ButtonProps } from '../../ui/button.tsx'
import { lazyDialog } from '../../ui/dialog.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { showToast } from '../../ui/show-toast.ts'
import type { GridItem } from './library-items.ts'

const MAX_CONCURRENT_REQUESTS = 4

/** Reprocesses items with the current engines. */
function useBulkReprocessing() {
  const text = useText('gallery')
  const errorText = useErrorText()
  const [isReprocessing, setIsReprocessing] = useState(false)

  async function reprocess(items: readonly { id: string }[]): Promise<void> {
    setIsReprocessing(true)
    const remaining = [...items]
    let firstError: unknown
    let failedCount = 0
    const processRemaining = async () => {
      for (let item = remaining.pop(); item; item = remaining.pop()) {
        try {
          await call('POST /media/:id/reprocess', { params: { id: item.id }, json: {} })
        } catch (error) {
          console.error('Failed to reprocess an item', error)
          firstError ??= error
          failedCount += 1
        }
      }
    }
    await Promise.all(Array.from({ length: MAX_CONCURRENT_REQUESTS }, processRemaining))
    setIsReprocessing(false)
    const requestedCount = items.length - failedCount
    if (requestedCount > 0) showToast({ title: text('bulk.improving', { count: requestedCount }) })
    if (failedCount > 0) {
      showToast({
        tone: 'danger',
        title: text('bulk.improveFailed', { count: failedCount }),
        description: errorText(firstError),
      })
    }
  }

  return { isReprocessing, reprocess }
}

/** Downloads the files of items as one archive, which the server streams. */
function useArchive() {
  const text = useText('gallery')
  const errorText = useErrorText()
  const prepare = useMutation({
    mutationFn: (ids: readonly string[]) => call('POST /media/archive', { json: { ids } }),
    onSuccess: ({ url }) => {
      const link = document.createElement('a')
      link.href = url
      link.download = ''
      link.click()
    },
    onError: (error) => {
      console.error('Failed to create an archive', error)
      showToast({ tone: 'danger', title: text('bulk.downloadFailed'), description: errorText(error) })
    },
  })
  return {
    isPreparing: prepare.isPending,
    download(ids: readonly string[]) {
      if (ids.length <= ARCHIVE_MAX_ITEMS) prepare.mutate(ids)
      else showToast({ tone: 'warning', title: text('bulk.downloadTooMany', { max: ARCHIVE_MAX_ITEMS }) })
    },
  }
}

const ItemTagsDialog = lazyDialog(() => import('./item-tags-dialog.tsx').then((module) => module.ItemTagsDialog))
const DateDialog = lazyDialog(() => import('./date-dialog.tsx').then((module) => module.DateDialog))
const PlaceDialog = lazyDialog(() => import('./place-dialog.tsx').then((module) => module.PlaceDialog))
const RecipeDialog = lazyDialog(() => import('./recipe-dialog.tsx').then((module) => module.RecipeDialog))

/** Toolbar with actions for the selected items; hidden when there are none. */
export function SelectionTools({ items, onClear, onDelete }: SelectionToolsProps) {
  const text = useText('gallery')
  const navigate = useNavigate()
  const [dialog, setDialog] = useState<'tags' | 'date' | 'place' | 'recipe' | null>(null)
  const { isReprocessing, reprocess } = useBulkReprocessing()
  const archive = useArchive()
  const count = items.length
  const ids = items.map(({ id }) => id)
  const ask = () => {
    if (count <= MESSAGE_MAX_MEDIA) void navigate(attachPath(ids))
    else showToast({ tone: 'warning', title: text('bulk.askTooMany', { max: MESSAGE_MAX_MEDIA }) })
  }
  return (
    <>
      {count > 0 && (
        <div
          role="toolbar"
          aria-label={text('bulk.label')}
          className="absolute inset-x-0 bottom-0 z-20 flex animate-float-in flex-wrap items-center gap-x-1 gap-y-1 border-t border-border-float bg-surface-overlay p-2 pb-[max(0.5rem,env(safe-area-inset-bottom))] shadow-float sm:bottom-5 sm:mx-auto sm:w-fit sm:max-w-[calc(100%-2rem)] sm:flex-nowrap sm:gap-2 sm:rounded-card sm:border sm:p-2"
        >
          <IconButton name={text('bulk.clear')} icon={<X aria-hidden />} onClick={onClear} />
          <span className="flex-1 text-14 font-medium whitespace-nowrap tabular-nums sm:mr-2">
            {text('bulk.selected', { count })}
          </span>
          <div className="contents max-sm:flex max-sm:w-full max-sm:justify-between max-sm:gap-1">
            <ActionButton
              label={text('bulk.download')}
              icon={<Download aria-hidden />}
              loading={archive.isPreparing}
              onClick={() => archive.download(ids)}
            />
            <ActionButton label={text('bulk.ask')} icon={<MessageCircle aria-hidden />} onClick={ask} />
            <ActionButton
              label={text('bulk.recipe')}
              icon={<WandSparkles aria-hidden />}
              onClick={() => setDialog('recipe')}
            />
            <ActionButton label={text('bulk.tags')} icon={<Tag aria-hidden />} onClick={() => setDialog('tags')} />
            <ActionButton
              label={text('bulk.date')}
              icon={<CalendarClock aria-hidden />}
              onClick={() => setDialog('date')}
            />
            <ActionButton label={text('bulk.place')} icon={<MapPin aria-hidden />} onClick={() => setDialog('place')} />
            <ActionButton
              label={text('bulk.improve')}
              icon={<RotateCw aria-hidden />}
              loading={isReprocessing}
              onClick={() => void reprocess(items)}
            />
            <ActionButton
              label={text('delete.confirm', { count })}
              icon={<Trash2 aria-hidden />}
              variant="danger"
              onClick={onDelete}
            />
          </div>
        </div>
      )}
      {dialog === 'tags' && <ItemTagsDialog items={items} onClose={() => setDialog(null)} />}
      {dialog === 'date' && <DateDialog items={items} onClose={() => setDialog(null)} />}
      {dialog === 'place' && <PlaceDialog items={items} onClose={() => setDialog(null)} />}
      {dialog === 'recipe' && <RecipeDialog items={items} onClose={() => setDialog(null)} />}
    </>
  )
}

/** Button that shows its label only on screens where the labels of all actions fit, in every language. */
function ActionButton({ label, icon, ...button }: ButtonProps & { label: string; icon: ReactNode }) {
  return (
    <Button size="sm" {...button} icon={icon} title={label} className="max-2xl:px-2">
      <span className="max-2xl:sr-only">{label}</span>
    </Button>
  )
}

export type SelectionToolsProps = { items: readonly GridItem[]; onClear: () => void; onDelete: () => void }
