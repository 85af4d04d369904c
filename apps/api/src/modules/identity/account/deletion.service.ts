import type { DeletedData, UserEventJson } from '@mira/shared'
import type { Files } from '../../../platform/storage/files.ts'
import type { AccountStore } from './account.store.ts'

export interface DeletionDeps {
  store: Pick<AccountStore, 'count' | 'removeAll' | 'recordDeletion'>
  files: Pick<Files, 'usage'>
  /** @throws ForbiddenError when the password is wrong; TooManyRequestsError after too many wrong ones. */
  confirmPassword(userId: string, given: { password: string; address: string }): Promise<void>
  /** Removes the bytes of uploads that have not arrived whole. */
  removePartialUploads(userId: string): Promise<void>
  removeLooseFiles(): Promise<void>
  publish(userId: string, event: UserEventJson): void
}

export type DeletionService = ReturnType<typeof createDeletionService>

/** Removes everything that is a person's, but not their account. */
export function createDeletionService(deps: DeletionDeps) {
  const { store, files } = deps
  return {
    /**
     * Rows go before this returns, files by a job that begins at once. Doing it again goes on where a crash ended it.
     * @returns what there was.
     * @throws ForbiddenError when the password is wrong.
     */
    async deleteData(userId: string, given: { password: string; address: string }): Promise<DeletedData['deleted']> {
      await deps.confirmPassword(userId, given)
      const counts = await store.count(userId)
      const { fileCount, sizeBytes } = await files.usage(userId)
      await deps.removePartialUploads(userId)
      await store.removeAll(userId)
      await store.recordDeletion(userId)
      await deps.removeLooseFiles()
      deps.publish(userId, { type: 'account.updated' })
      return { ...(counts as Omit<DeletedData['deleted'], 'files' | 'bytes'>), files: fileCount, bytes: sizeBytes }
    },
  }
}
