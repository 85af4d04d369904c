import { useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { call } from '../../lib/api/client.ts'
import { useErrorText } from '../../lib/i18n/error-text.ts'
import { useText } from '../../lib/i18n/i18n.ts'
import { paths } from '../../lib/session/paths.ts'
import { showToast } from '../../ui/show-toast.ts'

/** Makes a picture an item of the memory; once it is, the same call leads there. */
export function useKeep(downloadId: string) {
  const text = useText('effects')
  const errorText = useErrorText()
  const navigate = useNavigate()
  const [isKeeping, setIsKeeping] = useState(false)
  const [mediaId, setMediaId] = useState<string | null>(null)
  const open = (id: string) => void navigate(`${paths.gallery}/${id}`)

  return {
    isKeeping,
    isKept: mediaId !== null,
    async keep(): Promise<void> {
      if (mediaId !== null) return open(mediaId)
      setIsKeeping(true)
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
        console.error('A picture could not be kept', error)
        showToast({ tone: 'danger', title: text('keep.failed'), description: errorText(error) })
      } finally {
        setIsKeeping(false)
      }
    },
  }
}
