import type { AttachedMedia } from '@mira/shared'
import { MESSAGE_MAX_MEDIA } from '@mira/shared/constants/limits'
import { useEffect, useEffectEvent } from 'react'
import type { SetURLSearchParams } from 'react-router-dom'
import { fetchMediaItem } from '../../../api/media.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { ATTACH_PARAMETER } from '../../../lib/session/paths.ts'
import { showToast } from '../../../ui/show-toast.ts'
import { attachedOf } from './attached-of.ts'

/** Attaches the items that the address asks for (`?attach=`), once: they leave the address then. True until they have. */
export function useAttachWanted(
  parameters: URLSearchParams,
  setParameters: SetURLSearchParams,
  add: (items: AttachedMedia[]) => void,
): boolean {
  const text = useText('chat')
  const errorText = useErrorText()
  const wanted = parameters.getAll(ATTACH_PARAMETER).slice(0, MESSAGE_MAX_MEDIA).join()
  const attach = useEffectEvent(add)
  const complain = useEffectEvent((error: unknown) =>
    showToast({ tone: 'danger', title: text('attach.failed'), description: errorText(error) }),
  )
  const forget = useEffectEvent(() =>
    setParameters(
      (before) => {
        const rest = new URLSearchParams(before)
        rest.delete(ATTACH_PARAMETER)
        return rest
      },
      { replace: true },
    ),
  )
  useEffect(() => {
    if (wanted === '') return
    const leaving = new AbortController()
    Promise.all(wanted.split(',').map((id) => fetchMediaItem(id, leaving.signal)))
      .then(
        (items) => attach(items.map(attachedOf)),
        (error) => leaving.signal.aborted || complain(error),
      )
      .finally(() => leaving.signal.aborted || forget())
    return () => leaving.abort()
  }, [wanted])
  return wanted !== ''
}
