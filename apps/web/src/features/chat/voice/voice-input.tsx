import { can } from '@mira/shared/access'
import { Mic } from 'lucide-react'
import { type RefObject, useEffect, useRef } from 'react'
import { uploadFile } from '../../../api/upload.ts'
import { readStored, writeStored } from '../../../lib/browser-storage.ts'
import { useErrorText } from '../../../lib/error-text.ts'
import { useText } from '../../../lib/i18n.ts'
import { assistantName } from '../../../lib/page-meta.ts'
import { useUser } from '../../../lib/session.ts'
import { useConfirm } from '../../../ui/confirm-dialog.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { showToast } from '../../../ui/toast.ts'
import { useAskCapabilities, useCapabilities } from '../use-capabilities.ts'
import { ListeningBar } from './listening-bar.tsx'
import { hasRecogniser } from './recogniser.ts'
import { type DictationTrouble, useDictation } from './use-dictation.ts'
import { voiceNoteName } from './voice-note.ts'

/** A press that lasts longer is a hold: letting go ends it. */
const HOLD_MS = 400

/**
 * The button that is clicked or held to speak, and the bar over the composer while it listens. What was said lands in
 * the message, to be looked at before it is sent.
 */
export function VoiceInput({ field, draft, isBusy, onDraftChange }: VoiceInputProps) {
  const text = useText('voice')
  const app = useText('app')
  const user = useUser()
  const confirm = useConfirm()
  const errorText = useErrorText()
  const capabilities = useCapabilities()
  const askCapabilities = useAskCapabilities()
  const pressedAt = useRef(0)
  const hasLeft = useRef(false)
  useEffect(() => {
    hasLeft.current = false
    return () => {
      hasLeft.current = true
    }
  }, [])
  const latestDraft = useRef(draft)
  latestDraft.current = draft

  const tell = (trouble: DictationTrouble) => {
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
  const dictation = useDictation({
    onText: (said) => {
      const before = latestDraft.current.trimEnd()
      onDraftChange(before === '' ? said : `${before} ${said}`)
      // once the field is there again
      requestAnimationFrame(() => {
        const { current } = field
        current?.focus()
        current?.setSelectionRange(current.value.length, current.value.length)
      })
    },
    onTrouble: tell,
  })
  if (!can(user, 'voice')) return null

  /** The browser's recogniser may send what it hears away: that is said once. */
  const mayUseBrowser = async (): Promise<boolean> => {
    const key = `voice-browser-${user.id}`
    if (readStored(key) === 'yes') return true
    const isAgreed = await confirm({
      question: text('consent.question'),
      detail: text('consent.detail'),
      confirmLabel: text('consent.yes'),
      cancelLabel: app('common.cancel'),
    })
    if (isAgreed) writeStored(key, 'yes')
    return isAgreed
  }

  /** What is not known yet, or was away when it was asked for, is no reason to have somebody else listen. */
  const canServerListen = async (): Promise<boolean> => {
    if (capabilities?.transcription) return true
    const now = await askCapabilities().catch(() => undefined)
    return now?.transcription ?? false
  }

  /** Nothing listens to a person who has let go, or gone on to another screen, before it was known who listens. */
  const begin = async (hasLetGo = () => false) => {
    const isServer = await canServerListen()
    if (hasLeft.current || hasLetGo()) return
    if (isServer) await dictation.start('server')
    else if (!hasRecogniser()) tell('noEngine')
    else if ((await mayUseBrowser()) && !hasLeft.current) await dictation.start('browser')
  }

  const press = () => {
    pressedAt.current = performance.now()
    let wasHeld = false
    const release = () => {
      window.removeEventListener('pointerup', release)
      window.removeEventListener('pointercancel', release)
      wasHeld = performance.now() - pressedAt.current > HOLD_MS
      if (wasHeld) void dictation.finish()
    }
    window.addEventListener('pointerup', release)
    window.addEventListener('pointercancel', release)
    void begin(() => wasHeld)
  }

  const keep = async () => {
    const recording = await dictation.take()
    field.current?.focus()
    if (recording === null) return
    try {
      const file = new File([recording], voiceNoteName(text('note.name'), new Date(), recording.type), {
        type: recording.type,
      })
      await uploadFile(file, { keepPlace: false }, { onProgress: () => undefined })
      showToast({ title: text('note.kept'), description: text('note.keptText'), tone: 'success' })
    } catch (error) {
      showToast({ title: text('note.failed'), description: errorText(error), tone: 'danger' })
    }
  }

  return (
    <>
      <IconButton
        name={text('speak')}
        icon={<Mic aria-hidden />}
        disabled={isBusy}
        onPointerDown={(event) => {
          if (event.button === 0) press()
        }}
        // by keyboard and by screen readers, which press no pointer
        onClick={(event) => event.detail === 0 && void begin()}
        onContextMenu={(event) => event.preventDefault()}
        className="touch-none"
      />
      {dictation.state.step !== 'idle' && (
        <ListeningBar
          state={dictation.state}
          canKeep={can(user, 'upload')}
          onFinish={() => void dictation.finish()}
          onKeep={() => void keep()}
          onCancel={() => {
            dictation.cancel()
            field.current?.focus()
          }}
        />
      )}
    </>
  )
}

export type VoiceInputProps = {
  field: RefObject<HTMLTextAreaElement | null>
  draft: string
  isBusy: boolean
  onDraftChange: (draft: string) => void
}
