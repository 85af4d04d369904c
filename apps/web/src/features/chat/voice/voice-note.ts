import { loadUploads } from '../../../lib/api/load-uploads.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { showToast } from '../../../ui/show-toast.ts'
import { type UnsentRecording, useUnsentRecordings } from './unsent-recordings.ts'

const extensions: Record<string, string> = { 'audio/webm': 'webm', 'audio/ogg': 'ogg', 'audio/mp4': 'm4a' }

/** File name of a voice note in local time: "Voice note 2026-11-20 19.50.webm". */
export function voiceNoteName(name: string, at: Date, contentType: string): string {
  const two = (part: number) => String(part).padStart(2, '0')
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${name} ${day} ${two(at.getHours())}.${two(at.getMinutes())}.${extensions[contentType] ?? 'webm'}`
}

/** Loads the code that saves a recording while it's made: after an update of the server it couldn't be loaded any more. */
export function prepareVoiceNote(): void {
  // A failure shows `MissingPartNotice`; saving the note then fails with an error.
  if (navigator.onLine) loadUploads().catch(() => undefined)
}

/** Saves recordings to the memory and shows the result; those that can't be saved are kept. */
export function useSaveVoiceNote(): (recording: UnsentRecording) => Promise<void> {
  const text = useText('voice')
  const errorText = useErrorText()
  const { send } = useUnsentRecordings()
  return async (recording) => {
    try {
      await send(recording, 'save', async (audio) => {
        const name = voiceNoteName(text('note.name'), recording.recordedAt, audio.type)
        const file = new File([audio], name, { type: audio.type })
        const { uploadFile } = await loadUploads()
        await uploadFile(file, { keepPlace: false }, { onProgress: () => undefined })
      })
      showToast({ title: text('note.kept'), description: text('note.keptText'), tone: 'success' })
    } catch (error) {
      showToast({ title: text('note.failed'), description: errorText(error), tone: 'danger' })
    }
  }
}
