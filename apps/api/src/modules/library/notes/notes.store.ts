import type { Database } from '../../../platform/database/client.ts'
import { Prisma } from '../../../platform/database/generated/client.ts'

/** A note as a row: where its text lies. */
export interface StoredNote {
  path: string
  updatedAt: Date
}

/** The file that a note becomes. */
export interface NewNoteFile {
  sha256: string
  path: string
  sizeBytes: number
  originalFilename: string
  holdId: string
}

export type NotesStore = ReturnType<typeof createNotesStore>

/** Items that were written here, of one person each. */
export function createNotesStore({ prisma }: Pick<Database, 'prisma'>) {
  return {
    /** Null when it is not the person's, or no note. */
    find: (userId: string, id: string): Promise<StoredNote | null> =>
      prisma.mediaItem.findUnique({
        where: { id, userId, sourceKind: 'note' },
        select: { path: true, updatedAt: true },
      }),

    /**
     * Names the file that a note is from now on, and forgets what its person corrected in the text before.
     * @param then done in the same transaction.
     * @returns whether it was stored: `same` when another item has this very content, `gone` when there is no such note.
     */
    async replace(
      userId: string,
      id: string,
      { holdId, ...file }: NewNoteFile,
      then: (tx: Prisma.TransactionClient) => Promise<void>,
    ): Promise<'stored' | 'same' | 'gone'> {
      try {
        return await prisma.$transaction(async (tx) => {
          const { count } = await tx.mediaItem.updateMany({ where: { id, userId, sourceKind: 'note' }, data: file })
          if (count === 0) return 'gone'
          await tx.moment.deleteMany({ where: { mediaItemId: id, kind: 'text', lockedAt: { not: null } } })
          await tx.looseFile.deleteMany({ where: { id: holdId } })
          await then(tx)
          return 'stored'
        })
      } catch (error) {
        if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002') return 'same'
        throw error
      }
    },
  }
}
