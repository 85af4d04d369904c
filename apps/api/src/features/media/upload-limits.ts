import type { AdmissionLimits, AdmissionTexts } from '../../adapters/files/admission.ts'

/** How many files may arrive at the same time. */
export const UPLOAD_LIMITS: AdmissionLimits = { perUser: 6, inAll: 24, keptFreeBytes: 200 * 1024 * 1024 }

/** What is told to those whose files cannot arrive now. */
export function uploadWords({ perUser }: AdmissionLimits): AdmissionTexts {
  return {
    ofUser: { sentence: `Send at most ${perUser} files at the same time.`, code: 'too_many_uploads' },
    inAll: 'Too many files arrive right now. Try again in a moment.',
  }
}
