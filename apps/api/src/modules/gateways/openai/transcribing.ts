import type { Transcript } from '@mira/shared'
import type { Admit } from '../../../platform/storage/admission.ts'
import type { Files, ReceivedFile } from '../../../platform/storage/files.ts'

/** Transcription of uploaded recordings. */
export interface Transcribing {
  admit: Admit
  receive: Files['receive']
  transcribe(file: ReceivedFile, options: { language: string | undefined; signal: AbortSignal }): Promise<Transcript>
}
