import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { useConfirm } from '../../ui/confirm-dialog.tsx'
import type { ConfirmQuestion } from '../../ui/confirm-panel.tsx'
import { rowNeighbour } from '../../ui/row-neighbour.ts'
import { showToast } from '../../ui/show-toast.ts'
import { call } from '../api/client.ts'
import { deleteMediaItems, restoreMediaItems, trashMediaItems } from '../api/library.ts'
import { useErrorText } from '../i18n/error-text.ts'
import { loadNamespace, useLanguage } from '../i18n/i18n.ts'
import { configQuery } from './queries.ts'

/**
 * Permanently deletes an entry of a list after confirmation and refetches the list. If the focus was in the entry, it moves
 * to the neighbouring entry.
 */
export function useRemoval({ remove, queryKey, successToast, failureTitle, ...question }: Removal) {
  const errorText = useErrorText()
  const confirm = useConfirm()
  const queryClient = useQueryClient()
  const findNeighbour = useRef(rowNeighbour(null))
  const { isPending, mutate } = useMutation({
    mutationFn: remove,
    onSuccess: () => successToast && showToast({ tone: 'success', title: successToast }),
    onError: (error) => {
      console.error('It could not be removed', error)
      showToast({ tone: 'danger', title: failureTitle, description: errorText(error) })
    },
    onSettled: async () => {
      await queryClient.invalidateQueries({ queryKey })
      // once the list has been rendered without it
      setTimeout(() => document.activeElement === document.body && findNeighbour.current()?.focus())
    },
  })
  const ask = async () => {
    findNeighbour.current = rowNeighbour(document.activeElement)
    if (await confirm({ ...question, tone: 'danger' })) mutate()
  }
  return { isPending, ask: () => void ask() }
}

type Removal = Pick<ConfirmQuestion, 'question' | 'detail' | 'confirmLabel'> & {
  remove: () => Promise<unknown>
  /** The list's query. */
  queryKey: QueryKey
  /** Toast after the removal; undefined where the removal is visible anyway. */
  successToast?: string
  failureTitle: string
}

/** Display time of the toast with Undo. */
const UNDO_MS = 8000

const operations = {
  items: { trash: trashMediaItems, restore: restoreMediaItems, remove: deleteMediaItems },
  conversations: {
    trash: (ids: readonly string[]) => call('POST /chat/sessions/trash', { json: { ids } }),
    restore: (ids: readonly string[]) => call('POST /chat/sessions/restore', { json: { ids } }),
    remove: (ids: readonly string[]) => call('POST /chat/sessions/delete', { json: { ids } }),
  },
}

/** Kinds of things that can go to the trash. */
export type TrashedKind = keyof typeof operations

/** Moves things to the trash after confirmation and offers to undo it; without a trash, they're deleted permanently. */
export function useMoveToTrash(kind: TrashedKind) {
  const language = useLanguage()
  const errorText = useErrorText()
  const confirm = useConfirm()
  const queryClient = useQueryClient()

  /**
   * @param isSelection the question states the number of things, even if it's one.
   * @param onMoved called once they're gone, before the toast.
   * @param onRestored called after an undo.
   * @returns true when they're gone.
   */
  return async function moveToTrash(
    things: readonly { id: string; name: string }[],
    {
      isSelection = things.length > 1,
      onMoved,
      onRestored,
    }: { isSelection?: boolean; onMoved?: (isPermanent: boolean) => unknown; onRestored: () => unknown },
  ): Promise<boolean> {
    const [first] = things
    if (!first) return false
    const loaded = await Promise.all([
      loadNamespace(language, 'trash'),
      queryClient.fetchQuery({ ...configQuery, staleTime: 60_000, retry: false }),
    ]).catch((error: unknown) => {
      console.error('The trash settings could not be loaded', error)
      showToast({ tone: 'danger', title: errorText(error) })
    })
    if (!loaded) return false
    const [text, { trash }] = loaded
    const values = { count: things.length, name: first.name, days: trash.days }
    const outcome = trash.days === 0 ? 'forGood' : 'toTrash'
    const isSure = await confirm({
      question: text(`${kind}.${isSelection ? 'many' : 'one'}`, values),
      detail: text(`${kind}.${outcome}`, values),
      confirmLabel: text(`${kind}.confirm`, values),
      tone: 'danger',
    })
    if (!isSure) return false
    const ids = things.map(({ id }) => id)
    const reportFailure = (error: unknown, title: string) => {
      console.error(title, error)
      showToast({ tone: 'danger', title, description: errorText(error) })
    }
    try {
      await (trash.days === 0 ? operations[kind].remove(ids) : operations[kind].trash(ids))
    } catch (error) {
      reportFailure(error, text(`${outcome}.failed`))
      return false
    }
    await onMoved?.(trash.days === 0)
    const restore = async () => {
      try {
        await operations[kind].restore(ids)
        await onRestored()
      } catch (error) {
        reportFailure(error, text('restoreFailed'))
      }
    }
    showToast({
      title: text(`${outcome}.done`),
      ...(trash.days > 0 && { durationMs: UNDO_MS, action: { label: text('undo'), onSelect: () => void restore() } }),
    })
    return true
  }
}
