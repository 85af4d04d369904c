import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { useConfirm } from '../../ui/confirm-dialog.tsx'
import type { ConfirmQuestion } from '../../ui/confirm-panel.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { useErrorText } from '../i18n/error-text.ts'

/** Takes something of a list away for good, once the person said yes, and asks for the list anew. */
export function useRemoval({ remove, queryKey, removed, failed, ...question }: Removal) {
  const errorText = useErrorText()
  const confirm = useConfirm()
  const queryClient = useQueryClient()
  const { isPending, mutate } = useMutation({
    mutationFn: remove,
    onSuccess: () => removed && showToast({ tone: 'success', title: removed }),
    onError: (error) => {
      console.error('It could not be removed', error)
      showToast({ tone: 'danger', title: failed, description: errorText(error) })
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey }),
  })
  const ask = async () => {
    if (await confirm({ ...question, tone: 'danger' })) mutate()
  }
  return { isPending, ask: () => void ask() }
}

export type Removal = Pick<ConfirmQuestion, 'question' | 'detail' | 'confirmLabel'> & {
  remove: () => Promise<unknown>
  /** The list's query. */
  queryKey: QueryKey
  /** Toast after the removal; undefined where the removal is visible anyway. */
  removed?: string
  failed: string
}
