import { MAX_TOLD_FAILURES } from '@mira/shared'
import { storable } from '../../../platform/lib/storable.ts'
import { type Sentence, say } from '../../../sentences.ts'
import type { ImportCounts } from './imports.store.ts'

export const unreadable: Sentence = say('import_entry_unreadable', {})

const NAME_MAX_CHARACTERS = 200

/** Records something that couldn't be imported, up to a bound. */
export function leaveOut(counts: ImportCounts, name: string, { text, told }: Sentence): void {
  if (counts.failed.length >= MAX_TOLD_FAILURES) return
  counts.failed.push({ name: storable(name).slice(0, NAME_MAX_CHARACTERS), reason: storable(text), told })
}
