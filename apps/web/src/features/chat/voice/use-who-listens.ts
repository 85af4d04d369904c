import { readStored, writeStored } from '../../../lib/browser/browser-storage.ts'
import { assistantName } from '../../../lib/browser/page-meta.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useUser } from '../../../lib/session/session.ts'
import { useConfirm } from '../../../ui/confirm-dialog.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { useAskCapabilities, useCapabilities } from '../use-capabilities.ts'
import { hasRecogniser } from './recogniser.ts'
import type { DictationEngine, DictationTrouble } from './use-dictation.ts'

/** Tells a person why nothing is heard, and what they can do. */
export function useTellTrouble(): (trouble: DictationTrouble) => void {
  const text = useText('voice')
  const errorText = useErrorText()
  return (trouble) => {
    if (typeof trouble === 'object') {
      showToast({ title: text('failed'), description: errorText(trouble.error), tone: 'danger' })
      return
    }
    const params = { assistant: assistantName() }
    showToast({
      title: text(`trouble.${trouble}.title`),
      description: text(`trouble.${trouble}.text`, params),
      tone: trouble === 'nothing' ? 'info' : 'warning',
      durationMs: 10_000,
    })
  }
}

/** Finds out who writes down speech: the server, else the browser where its person agrees; null when nobody does, which is told. */
export function useWhoListens(): (hasLeft: () => boolean) => Promise<DictationEngine | null> {
  const text = useText('voice')
  const user = useUser()
  const confirm = useConfirm()
  const capabilities = useCapabilities()
  const askCapabilities = useAskCapabilities()
  const tell = useTellTrouble()

  /** The browser's recogniser may send what it hears away: that is said once. */
  const mayUseBrowser = async (): Promise<boolean> => {
    const key = `voice-browser-${user.id}`
    if (readStored(key) === 'yes') return true
    const isAgreed = await confirm({
      question: text('consent.question'),
      detail: text('consent.detail'),
      confirmLabel: text('consent.yes'),
    })
    if (isAgreed) writeStored(key, 'yes')
    return isAgreed
  }

  /**
   * Checks the server again when its state is unknown or it was down, instead of switching to the browser's
   * recognition.
   */
  const canServerListen = async (): Promise<boolean> => {
    if (capabilities?.transcription) return true
    const now = await askCapabilities().catch(() => undefined)
    return now?.transcription ?? false
  }

  return async (hasLeft) => {
    const isServer = await canServerListen()
    if (hasLeft()) return null
    if (isServer) return 'server'
    if (hasRecogniser()) return (await mayUseBrowser()) ? 'browser' : null
    tell('noEngine')
    return null
  }
}
