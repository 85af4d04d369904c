import { can } from '@mira/shared/access'
import { Square, Volume2 } from 'lucide-react'
import { useEffect } from 'react'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useLanguage, useText } from '../../../lib/i18n/i18n.ts'
import { useStore } from '../../../lib/loading/store.ts'
import { useUser } from '../../../lib/session/session.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { useCurrentIfMounted } from '../../../ui/use-close-if-mounted.ts'
import { useCapabilities, useFetchCapabilities } from '../use-capabilities.ts'
import { NoVoiceError, speakingStore, startSpeaking, stopSpeaking } from './speaker.ts'

/** Button that reads an answer aloud, or stops it. */
export function ReadAloud({ id, content }: { id: string; content: string }) {
  const text = useText('voice')
  const user = useUser()
  const language = useLanguage()
  const errorText = useErrorText()
  const capabilities = useCapabilities()
  const fetchCapabilities = useFetchCapabilities()
  const speaking = useStore(speakingStore)
  const isShown = useCurrentIfMounted(true)
  const isSpeaking = speaking?.id === id

  // stops when the message is no longer shown
  useEffect(
    () => () => {
      if (speakingStore.get()?.id === id) stopSpeaking()
    },
    [id],
  )
  if (!can(user, 'voice')) return null

  const start = async () => {
    // A click may come before the capabilities are known. If they can't be fetched, the browser's voice needs no server.
    const known = capabilities ?? (await fetchCapabilities().catch(console.warn))
    if (!isShown.current) return
    try {
      await startSpeaking(id, content, known?.speech ? 'server' : 'browser', language)
    } catch (error) {
      const hasNoVoice = error instanceof NoVoiceError
      showToast({
        title: text('read.failed'),
        description: hasNoVoice ? text('read.noVoice') : errorText(error),
        tone: hasNoVoice ? 'warning' : 'danger',
      })
    }
  }
  return isSpeaking ? (
    <IconButton
      size="sm"
      name={text('read.stop')}
      icon={<Square aria-hidden fill="currentColor" className="scale-75" />}
      aria-busy={speaking.step === 'loading' || undefined}
      className="text-accent-text"
      onClick={stopSpeaking}
    />
  ) : (
    <IconButton size="sm" name={text('read.start')} icon={<Volume2 aria-hidden />} onClick={() => void start()} />
  )
}
