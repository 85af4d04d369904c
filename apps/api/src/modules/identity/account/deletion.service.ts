import type { DeletedData } from '@mira/shared'
import { ValidationError } from '../../../errors.ts'
import type { Events } from '../../../platform/events/events.service.ts'
import type { Queue } from '../../../platform/queue/queue.ts'
import type { Files } from '../../../platform/storage/files.ts'
import type { Actor } from '../actor.ts'
import type { Confirmation } from '../sign-in/confirmation.ts'
import type { AccountStore } from './account.store.ts'

/** Incomplete uploads, provided by the library module. */
export interface PartialUploads {
  removeAllOf(userId: string): Promise<void>
}

export type DeletionService = ReturnType<typeof createDeletionService>

/** Deletes a user's data, but neither the account nor its sign-in methods. */
export function createDeletionService(deps: {
  account: AccountStore
  files: Files
  partialUploads: PartialUploads
  confirmation: Confirmation
  queue: Pick<Queue, 'enqueue'>
  events: Pick<Events, 'publish'>
}) {
  const { account: store, files, partialUploads, confirmation, queue, events } = deps
  return {
    /**
     * Deletes the user's rows before it returns; a job then deletes the files that no row refers to any more. Can be repeated
     * after a crash.
     * @returns the number of removed rows and files by kind, without those that an earlier attempt removed.
     * @param password undefined for an account without a password; its sign-in must then be recent.
     * @throws ForbiddenError when the password is wrong; ValidationError when it is missing.
     */
    async deleteData(actor: Actor, password: string | undefined): Promise<DeletedData['deleted']> {
      const { userId } = actor
      await confirmation.requirePassword(actor, password, missingPasswordError)
      const counts = await store.count(userId)
      const { fileCount, sizeBytes } = await files.usage(userId)
      await partialUploads.removeAllOf(userId)
      await store.removeAll(userId)
      await store.recordDeletion(userId)
      await queue.enqueue('delete-files', { loose: true })
      events.publish(userId, { type: 'account.updated' })
      return { ...(counts as Omit<DeletedData['deleted'], 'files' | 'bytes'>), files: fileCount, bytes: sizeBytes }
    },
  }
}

function missingPasswordError(): ValidationError {
  const message = 'Enter your password.'
  return new ValidationError(message, { errors: [{ path: 'password', message }] })
}
