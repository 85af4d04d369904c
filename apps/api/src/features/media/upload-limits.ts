import type { EntranceLimits, EntranceWords } from '../../adapters/files/entrance.ts'

/** How many files may arrive at the same time. */
export const UPLOAD_LIMITS: EntranceLimits = { perUser: 6, inAll: 24, keptFreeBytes: 200 * 1024 * 1024 }

/** What is told to those whose files cannot arrive now. */
export function uploadWords({ perUser }: EntranceLimits): EntranceWords {
  return {
    ofUser: { sentence: `Send at most ${perUser} files at the same time.`, code: 'too_many_uploads' },
    inAll: 'Too many files arrive right now. Try again in a moment.',
  }
}
