import { can } from '@mira/shared/access'
import { FolderPlus, Mic, RotateCw, X } from 'lucide-react'
import { type RefObject, useRef } from 'react'
import { useLanguage, useText } from '../../../lib/i18n/i18n.ts'
import { useUser } from '../../../lib/session/session.ts'
import { Button } from '../../../ui/button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { useCurrentIfMounted } from '../../../ui/use-close-if-mounted.ts'
import { transcribe } from './speaker.ts'
import { type UnsentRecording, useUnsentRecordings } from './unsent-recordings.ts'
import { signedInUserId } from './use-dictation.ts'
import { focusEndOf, useReportTrouble } from './voice-input.tsx'
import { useSaveVoiceNote, voiceNoteName } from './voice-note.ts'

/** Recordings whose transcription or upload failed, each with buttons to try again. Keyed by the view, to which texts are added. */
export function UnsentRecordingsPanel({ field, onText }: PanelProps) {
  const { failed } = useUnsentRecordings()
  const latestOnText = useRef(onText)
  latestOnText.current = onText
  const isShown = useCurrentIfMounted(true)
  if (failed.length === 0) return null
  return (
    <FailedRecordings
      failed={failed}
      onText={(transcript) => latestOnText.current(transcript)}
      onFocusLost={() => isShown.current && focusEndOf(field)}
    />
  )
}

type PanelProps = {
  /** Message field, focused once a focused recording is gone. */
  field: RefObject<HTMLTextAreaElement | null>
  /** Adds text to the draft. */
  onText: (transcript: string) => void
}

function FailedRecordings({ failed, onText, onFocusLost }: FailedRecordingsProps) {
  const text = useText('voice')
  const language = useLanguage()
  const report = useReportTrouble()
  const { discard, restore, send } = useUnsentRecordings()

  const transcribeAgain = async (recording: UnsentRecording) => {
    const userId = signedInUserId()
    const isAbandoned = () => signedInUserId() !== userId
    try {
      const { text: transcript } = await send(recording, 'transcribe', (audio) => transcribe(audio, { language }))
      if (isAbandoned()) return
      if (transcript === '') report('nothing')
      else onText(transcript)
    } catch (error) {
      if (!isAbandoned()) report({ error })
    }
  }

  const discardRecording = (recording: UnsentRecording) => {
    const userId = signedInUserId()
    discard(recording.id)
    onFocusLost()
    showToast({
      title: text('unsent.discarded'),
      action: { label: text('unsent.undo'), onSelect: () => signedInUserId() === userId && restore(recording) },
    })
  }

  return (
    <section aria-label={text('unsent.label')} className="w-full border-b border-border px-3 pt-3 pb-2 text-13">
      <p role="status" className="mb-1 text-12 text-muted">
        {text('unsent.label')}
      </p>
      <ul className="flex flex-col gap-1">
        {failed.map((recording) => (
          <RecordingRow
            key={recording.id}
            recording={recording}
            onTranscribe={() => transcribeAgain(recording)}
            onDiscard={() => discardRecording(recording)}
            onFocusLost={onFocusLost}
          />
        ))}
      </ul>
    </section>
  )
}

type FailedRecordingsProps = {
  failed: readonly UnsentRecording[]
  onText: (transcript: string) => void
  /** Called when the focused recording is gone. */
  onFocusLost: () => void
}

function RecordingRow({ recording, onTranscribe, onDiscard, onFocusLost }: RecordingRowProps) {
  const text = useText('voice')
  const user = useUser()
  const saveNote = useSaveVoiceNote()
  const purpose = useUnsentRecordings().purposeOf(recording.id)
  const row = useRef<HTMLLIElement>(null)
  const { id, recordedAt, audio } = recording
  const name = voiceNoteName(text('note.name'), recordedAt, audio.type)

  /** Sends the recording again. The row has the focus meanwhile, as disabled buttons lose it. */
  const retry = async (button: HTMLButtonElement, work: () => Promise<void>) => {
    row.current?.focus()
    await work()
    requestAnimationFrame(() => {
      if (document.activeElement === row.current) button.focus()
      else if (document.activeElement === document.body) onFocusLost()
    })
  }

  return (
    <li ref={row} tabIndex={-1} aria-labelledby={`recording-${id}`} className="flex flex-wrap items-center gap-2">
      <Mic aria-hidden className="size-4 shrink-0 text-muted" />
      <span id={`recording-${id}`} className="min-w-0 flex-1 basis-40 truncate">
        {name}
      </span>
      <span role="status" className="text-muted empty:hidden">
        {purpose === 'transcribe' && text('steps.writing')}
        {purpose === 'save' && text('unsent.saving')}
      </span>
      <Button
        size="sm"
        icon={<RotateCw aria-hidden />}
        aria-describedby={`recording-${id}`}
        loading={purpose === 'transcribe'}
        disabled={purpose !== undefined}
        onClick={(event) => void retry(event.currentTarget, onTranscribe)}
      >
        {text('unsent.transcribe')}
      </Button>
      {can(user, 'upload') && (
        <Button
          size="sm"
          icon={<FolderPlus aria-hidden />}
          aria-describedby={`recording-${id}`}
          loading={purpose === 'save'}
          disabled={purpose !== undefined}
          onClick={(event) => void retry(event.currentTarget, () => saveNote(recording))}
        >
          {text('unsent.save')}
        </Button>
      )}
      <IconButton
        size="sm"
        name={text('unsent.discard', { name })}
        icon={<X aria-hidden />}
        disabled={purpose !== undefined}
        onClick={onDiscard}
      />
    </li>
  )
}

type RecordingRowProps = {
  recording: UnsentRecording
  onTranscribe: () => Promise<void>
  onDiscard: () => void
  onFocusLost: () => void
}
