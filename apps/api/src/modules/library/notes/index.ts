import type { Context } from '../../../context-type.ts'
import type { LooseFiles } from '../../../platform/database/loose-files.ts'
import type { ProcessingService } from '../pipeline/processing.service.ts'
import { createNotesService } from './notes.service.ts'
import { createNotesStore } from './notes.store.ts'

/** Builds what takes in the notes that people write. */
export function buildNotes(
  tools: Pick<Context, 'database' | 'files' | 'uploads'> & {
    looseFiles: LooseFiles
    processing: Pick<ProcessingService, 'reprocessIn'>
    removeLooseFiles(): Promise<void>
    publish: Context['events']['publish']
  },
): Pick<Context, 'notes'> {
  const { database, processing } = tools
  const notes = createNotesService({
    ...tools,
    store: createNotesStore(database),
    // all else follows from what it is
    readAgain: (tx, userId, itemId) => processing.reprocessIn(tx, userId, itemId, ['inspect']),
  })
  return { notes }
}
