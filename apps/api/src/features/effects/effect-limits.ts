import type { AdmissionLimits, AdmissionTexts } from '../../adapters/files/admission.ts'

/** How many pictures are taken in at once: one person's wait for each other, and leave room for those of others. */
export const EFFECT_LIMITS: AdmissionLimits = { perUser: 3, inAll: 24, keptFreeBytes: 200 * 1024 * 1024 }

/** Of the quick look at an effect before it is applied, in pixels. */
export const PREVIEW_LONGEST_SIDE = 320

/** What people are told who reach the limits. */
export const effectLimitWords: AdmissionTexts = {
  ofUser: { sentence: `Let at most ${EFFECT_LIMITS.perUser} pictures be worked on at the same time.`, code: 'busy' },
  inAll: 'Too many pictures are being worked on right now. Try again in a moment.',
}
