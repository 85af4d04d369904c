import { useState } from 'react'
import { reprocessMediaItem } from '../../api/media.ts'
import { useErrorText } from '../../lib/error-text.ts'
import { useText } from '../../lib/i18n.ts'
import { showToast } from '../../ui/show-toast.ts'

const AT_ONCE = 4

/** Asks for everything about some items to be done again, by the engines of today. */
export function useBulkImprove() {
  const text = useText('gallery')
  const errorText = useErrorText()
  const [isImproving, setIsImproving] = useState(false)

  async function improve(items: readonly { id: string }[]): Promise<void> {
    setIsImproving(true)
    const left = [...items]
    let firstError: unknown
    let failed = 0
    const work = async () => {
      for (let item = left.pop(); item; item = left.pop()) {
        try {
          await reprocessMediaItem(item.id)
        } catch (error) {
          console.error('An item could not be processed again', error)
          firstError ??= error
          failed += 1
        }
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    setIsImproving(false)
    const asked = items.length - failed
    if (asked > 0) showToast({ title: text('bulk.improving', { count: asked }) })
    if (failed > 0) {
      showToast({
        tone: 'danger',
        title: text('bulk.improveFailed', { count: failed }),
        description: errorText(firstError),
      })
    }
  }

  return { isImproving, improve }
}
