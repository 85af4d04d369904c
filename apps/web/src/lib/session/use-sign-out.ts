import { useConfirm } from '../../ui/confirm-dialog.tsx'
import { useText } from '../i18n/i18n.ts'
import { session } from './session.ts'
import { hasUnsentWork } from './unsent-work.ts'

/** A function that signs out, after asking when unsent work would be lost. */
export function useSignOut(): () => Promise<void> {
  const confirm = useConfirm()
  const text = useText('app')
  return async () => {
    const state = session.state.get()
    if (state.status === 'signed-in' && (await hasUnsentWork(state.user.id))) {
      const question = text('signOut.question')
      const isConfirmed = await confirm({
        question,
        detail: text('signOut.detail'),
        confirmLabel: text('signOut.discard'),
        tone: 'danger',
      })
      if (!isConfirmed) return
    }
    await session.logout()
  }
}
