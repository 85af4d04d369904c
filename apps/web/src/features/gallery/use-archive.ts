import { ARCHIVE_MAX_ITEMS } from '@mira/shared/constants/limits'
import { useMutation } from '@tanstack/react-query'
import { prepareArchive } from '../../api/media.ts'
import { useErrorText } from '../../lib/error-text.ts'
import { useText } from '../../lib/i18n.ts'
import { showToast } from '../../ui/show-toast.ts'

/** Loads the files of items as one archive, which the browser saves while the server writes it. */
export function useArchive() {
  const text = useText('gallery')
  const errorText = useErrorText()
  const prepare = useMutation({
    mutationFn: (ids: readonly string[]) => prepareArchive(ids),
    onSuccess: ({ url }) => {
      const link = document.createElement('a')
      link.href = url
      link.download = ''
      link.click()
    },
    onError: (error) => {
      console.error('An archive could not be made', error)
      showToast({ tone: 'danger', title: text('bulk.downloadFailed'), description: errorText(error) })
    },
  })
  return {
    isPreparing: prepare.isPending,
    load(ids: readonly string[]) {
      if (ids.length <= ARCHIVE_MAX_ITEMS) prepare.mutate(ids)
      else showToast({ tone: 'warning', title: text('bulk.downloadTooMany', { most: ARCHIVE_MAX_ITEMS }) })
    },
  }
}
