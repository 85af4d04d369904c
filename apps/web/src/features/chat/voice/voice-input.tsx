import { can } from '@mira/shared/access'
import { Mic } from 'lucide-react'
import { type RefObject, useEffect, useRef } from 'react'
import { useErrorText } from '../../../lib/error-text.ts'
import { useText } from '../../../lib/i18n.ts'
import { useUser } from '../../../lib/session.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { ListeningBar } from './listening-bar.tsx'
import { useDictation } from './use-dictation.ts'
import { useTellTrouble, useWhoListens } from './use-who-listens.ts'
import { voiceNoteName } from './voice-note.ts'

/** A press that lasts longer is a hold: letting go ends it. */
const HOLD_MS = 400

/**
 * The button that is clicked or held to speak, and the bar over the composer while it listens. What was said lands in
 * the message, to be looked at before it is sent.
 */
export function VoiceInput({ field, draft, onDraftChange }: VoiceInputProps) {
  const text = useText('voice')
  const user = useUser()
  const errorText = useErrorText()
  const tell = useTellTrouble()
  const whoListens = useWhoListens()
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

  /** Nothing listens to a person who has let go, or gone on to another screen, before it was known who listens. */
  const begin = async (hasLetGo = () => false) => {
    const engine = await whoListens(() => hasLeft.current || hasLetGo())
    if (engine !== null && !hasLeft.current) await dictation.start(engine)
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
      // few people keep what they said
      const { uploadFile } = await import('../../../api/upload.ts')
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
  onDraftChange: (draft: string) => void
}
