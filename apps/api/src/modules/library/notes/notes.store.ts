import type { Database } from '../../../platform/database/client.ts'
import { Prisma } from '../../../platform/database/generated/client.ts'

/** Location of a note's text. */
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

/** Access to notes, as items of one user each. */
export function createNotesStore({ prisma }: Pick<Database, 'prisma'>) {
  return {
    /** Null when it isn't the user's, or not a note. */
    find: (userId: string, id: string): Promise<StoredNote | null> =>
      prisma.mediaItem.findUnique({
        where: { id, userId, sourceKind: 'note' },
        select: { path: true, updatedAt: true },
      }),

    /**
     * Replaces the file of a note and drops the user's corrections of its previous text.
     * @param then runs in the same transaction.
     * @returns `same` when another item has the same content, `gone` for a missing note.
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
