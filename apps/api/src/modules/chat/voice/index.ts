import type { Ai } from '../../../engines/ai.ts'
import { type AdmissionLimits, createAdmission } from '../../../platform/storage/admission.ts'
import type { Files } from '../../../platform/storage/files.ts'
import type { FileReaders } from '../../library/index.ts'
import { createVoiceService, type VoiceService } from './voice.service.ts'

/** A recording of 25 MB takes at most 20 MB more during transcription. */
const LIMITS: AdmissionLimits = { perUser: 3, inAll: 16, keptFreeBytes: 200 * 1024 * 1024 }

/** Builds transcription and reading aloud. */
export function buildVoice({ files, ai, readers }: { files: Files; ai: Ai; readers: FileReaders }): VoiceService {
  return createVoiceService({
    files,
    ai,
    av: readers.av,
    useScratch: readers.useScratch,
    admit: createAdmission({
      freeBytes: () => files.freeBytes(),
      limits: LIMITS,
      words: {
        ofUser: { sentence: `Process at most ${LIMITS.perUser} texts or recordings at a time.`, code: 'busy' },
        inAll: 'Too many people are speaking right now. Try again in a moment.',
      },
    }),
  })
}
