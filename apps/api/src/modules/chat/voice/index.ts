import type { Ai } from '../../../engines/ai.ts'
import { type AdmissionLimits, createAdmission } from '../../../platform/storage/admission.ts'
import type { Files } from '../../../platform/storage/files.ts'
import type { FileReaders } from '../../library/index.ts'
import { createVoiceService, type VoiceService } from './voice.service.ts'

/** A recording of 25 MB is at most 20 MB more while it is written down. */
const LIMITS: AdmissionLimits = { perUser: 3, inAll: 16, keptFreeBytes: 200 * 1024 * 1024 }

/** Builds what listens and reads aloud. */
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
        ofUser: { sentence: `Let at most ${LIMITS.perUser} texts or recordings be worked on at once.`, code: 'busy' },
        inAll: 'Too many people speak right now. Try again in a moment.',
      },
    }),
  })
}
