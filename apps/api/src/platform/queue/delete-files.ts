import type { LooseFiles } from '../database/loose-files.ts'
import type { JobHandlers } from './jobs.ts'

/** The file store as far as the handler needs it. */
export interface FileRemover {
  /** Removes one file; one that is gone already is no error. */
  delete(path: string): Promise<void>
  /** Removes every file of an owner. */
  deleteAll(ownerId: string): Promise<void>
}

/** Makes the handler of `delete-files`. */
export function createDeleteFiles(deps: {
  files: FileRemover
  looseFiles: Pick<LooseFiles, 'deleteDue'>
  /** Removes what of a user has arrived in part only. */
  removePartialsOf?(userId: string): Promise<void>
}): JobHandlers['delete-files'] {
  const { files, looseFiles } = deps
  return async (data, { signal }) => {
    if ('user_id' in data) {
      await deps.removePartialsOf?.(data.user_id)
      return files.deleteAll(data.user_id)
    }
    if ('loose' in data) return looseFiles.deleteDue(files.delete, signal)
    for (const path of data.paths) {
      signal.throwIfAborted()
      await files.delete(path)
    }
  }
}
