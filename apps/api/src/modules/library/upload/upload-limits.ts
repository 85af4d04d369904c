import type { AdmissionLimits, AdmissionTexts } from '../../../platform/storage/admission.ts'

/** Number of files that may arrive at the same time. */
export const UPLOAD_LIMITS: AdmissionLimits = { perUser: 6, inAll: 24, keptFreeBytes: 200 * 1024 * 1024 }

/** Messages for uploads that are refused for now. */
export function uploadWords({ perUser }: AdmissionLimits): AdmissionTexts {
  return {
    ofUser: { sentence: `Send at most ${perUser} files at the same time.`, code: 'too_many_uploads' },
    inAll: 'Too many files arrive right now. Try again in a moment.',
  }
}
