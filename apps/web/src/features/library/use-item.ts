import type { MediaChanges, MediaDetailJson, ProcessingStepName } from '@mira/shared'
import { type InfiniteData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { call } from '../../lib/api/client.ts'
import { useErrorText } from '../../lib/i18n/error-text.ts'
import { useText } from '../../lib/i18n/i18n.ts'
import { useUserEvents } from '../../lib/loading/event-stream.ts'
import { useMoveToTrash } from '../../lib/loading/use-move-to-trash.ts'
import { forgetItemDrafts } from '../../lib/session/kept-drafts.ts'
import { showToast } from '../../ui/show-toast.ts'
import { changeItems, type GridPage, toGridItem } from './library-items.ts'
import { itemQuery, libraryKey, refetchLists, statsQuery, tagsQuery } from './library-queries.ts'

/** Moves items to the trash after a confirmation and removes them from lists; offers undo. */
export function useDeletion() {
  const moveToTrash = useMoveToTrash('items')
  const queryClient = useQueryClient()
  const refetch = (...keys: (readonly unknown[])[]) =>
    Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })))

  /** @returns true when the items were moved. */
  return (items: readonly { id: string; name: string }[]): Promise<boolean> =>
    moveToTrash(items, {
      onMoved: (isForGood) => {
        const ids = new Set(items.map(({ id }) => id))
        if (isForGood) forgetItemDrafts([...ids])
        queryClient.setQueriesData<InfiniteData<GridPage>>({ queryKey: libraryKey }, (data) =>
          data ? { ...data, pages: changeItems(data.pages, ids, () => null) } : data,
        )
        void refetch(statsQuery.queryKey, tagsQuery.queryKey)
      },
      onRestored: () => Promise.all([refetchLists(queryClient), refetch(statsQuery.queryKey, tagsQuery.queryKey)]),
    })
}

/** Minimum interval for fetching partial results while an item is processed. */
const PARTS_EVERY_MS = 2_500
/** Polling interval while an item is processed, a fallback for missed events. */
const WORKING_POLL_MS = 15_000

/** An item with all its results, updated live during processing. */
export function useItem(id: string) {
  const queryClient = useQueryClient()
  const { queryKey } = itemQuery(id)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const refresh = () => void queryClient.invalidateQueries({ queryKey })

  useUserEvents((event) => {
    if (event.type === 'events.resumed') refresh()
    else if (event.type === 'media.updated' && event.ids.includes(id)) refresh()
    else if ((event.type === 'media.done' || event.type === 'media.failed') && event.id === id) refresh()
    else if (event.type === 'media.progress' && event.id === id) {
      queryClient.setQueryData<MediaDetailJson>(
        queryKey,
        (item) =>
          item && {
            ...item,
            processing_status: 'processing',
            processing_steps: event.steps,
            queue_position: undefined,
          },
      )
      timer.current ??= setTimeout(() => {
        timer.current = undefined
        refresh()
      }, PARTS_EVERY_MS)
    }
  })

  return useQuery({
    ...itemQuery(id),
    refetchInterval: ({ state }) => (state.data && isProcessing(state.data) ? WORKING_POLL_MS : false),
  })
}

/** True while an item is queued or being processed. */
export function isProcessing({ processing_status }: Pick<MediaDetailJson, 'processing_status'>): boolean {
  return processing_status === 'pending' || processing_status === 'processing'
}

/** True for notes written in this app. */
export function isNote({ metadata }: Pick<MediaDetailJson, 'metadata'>): boolean {
  return metadata.source?.kind === 'note'
}

/** Saves the user's changes to an item; reports a failure, and resolves to true on success. */
export function useItemChanges(id: string) {
  const text = useText('gallery')
  const errorText = useErrorText()
  const queryClient = useQueryClient()

  return async function change(changes: MediaChanges): Promise<boolean> {
    try {
      const changed = toGridItem(await call('PATCH /media/:id', { params: { id }, json: changes }))
      queryClient.setQueriesData<InfiniteData<GridPage>>({ queryKey: libraryKey }, (data) =>
        data ? { ...data, pages: changeItems(data.pages, new Set([id]), () => changed) } : data,
      )
      await queryClient.invalidateQueries({ queryKey: itemQuery(id).queryKey })
      if (changes.tags) void queryClient.invalidateQueries({ queryKey: tagsQuery.queryKey })
      return true
    } catch (error) {
      console.error('An item could not be changed', error)
      showToast({ tone: 'danger', title: text('edit.failed'), description: errorText(error) })
      return false
    }
  }
}

/** Requests that a step of an item, or all steps, run again; `requestedStep` is what's being requested, null for nothing. */
export function useReprocessing(id: string) {
  const text = useText('gallery')
  const errorText = useErrorText()
  const queryClient = useQueryClient()
  const [requestedStep, setRequestedStep] = useState<ProcessingStepName | 'all' | null>(null)

  async function run(step: ProcessingStepName | 'all'): Promise<void> {
    setRequestedStep(step)
    try {
      await call('POST /media/:id/reprocess', { params: { id }, json: { steps: step === 'all' ? undefined : [step] } })
      await queryClient.invalidateQueries({ queryKey: itemQuery(id).queryKey })
    } catch (error) {
      console.error('Failed to reprocess an item', error)
      showToast({ tone: 'danger', title: text('steps.runFailed'), description: errorText(error) })
    } finally {
      setRequestedStep(null)
    }
  }

  return { requestedStep, run }
}
