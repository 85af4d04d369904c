import type { AdmissionLimits, AdmissionTexts } from '../../../platform/storage/admission.ts'

/** Limits of pictures received at once: one user's queue leaves capacity for others. */
export const EFFECT_LIMITS: AdmissionLimits = { perUser: 3, inAll: 24, keptFreeBytes: 200 * 1024 * 1024 }

/** Pixels of the quick preview before an effect is applied. */
export const PREVIEW_LONGEST_SIDE = 320

/** Messages for users who reach the limits. */
export const effectLimitWords: AdmissionTexts = {
  ofUser: { sentence: `Let at most ${EFFECT_LIMITS.perUser} pictures be worked on at the same time.`, code: 'busy' },
  inAll: 'Too many pictures are being worked on right now. Try again in a moment.',
}
