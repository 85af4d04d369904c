import type { AttachedMedia } from '@mira/shared'
import { useEffect, useEffectEvent } from 'react'
import type { SetURLSearchParams } from 'react-router-dom'
import { fetchMediaItem } from '../../../api/media.ts'
import { useErrorText } from '../../../lib/error-text.ts'
import { useText } from '../../../lib/i18n.ts'
import { showToast } from '../../../ui/toast.ts'
import { attachedOf } from './library-picker.tsx'

/** Attaches the item that the address asks for (`?attach=`), once: it leaves the address then. True until it has. */
export function useAttachWanted(
  parameters: URLSearchParams,
  setParameters: SetURLSearchParams,
  add: (items: AttachedMedia[]) => void,
): boolean {
  const text = useText('chat')
  const errorText = useErrorText()
  const wanted = parameters.get('attach')
  const attach = useEffectEvent((item: AttachedMedia) => add([item]))
  const complain = useEffectEvent((error: unknown) =>
    showToast({ tone: 'danger', title: text('attach.failed'), description: errorText(error) }),
  )
  const forget = useEffectEvent(() =>
    setParameters(
      (before) => {
        const rest = new URLSearchParams(before)
        rest.delete('attach')
        return rest
      },
      { replace: true },
    ),
  )
  useEffect(() => {
    if (wanted === null) return
    const leaving = new AbortController()
    fetchMediaItem(wanted, leaving.signal)
      .then(
        (item) => attach(attachedOf(item)),
        (error) => leaving.signal.aborted || complain(error),
      )
      .finally(() => leaving.signal.aborted || forget())
    return () => leaving.abort()
  }, [wanted])
  return wanted !== null
}
