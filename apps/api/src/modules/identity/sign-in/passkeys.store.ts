import type { PasskeyView } from '@mira/shared'
import { ConflictError } from '../../../errors.ts'
import type { Database } from '../../../platform/database/client.ts'
import type { PasskeyModel } from '../../../platform/database/generated/models/Passkey.ts'
import type { PrismaTransaction } from '../users/users.store.ts'

/** A passkey with the key that verifies its responses. */
interface StoredPasskey {
  id: string
  userId: string
  credentialId: string
  publicKey: Uint8Array<ArrayBuffer>
  counter: number
  transports: string[]
  relyingPartyId: string
}

export type PasskeysStore = ReturnType<typeof createPasskeysStore>

/** Rows of passkeys. */
export function createPasskeysStore({ prisma }: Pick<Database, 'prisma'>) {
  return {
    /** Newest first. */
    async list(userId: string): Promise<PasskeyView[]> {
      const rows = await prisma.passkey.findMany({ where: { userId }, orderBy: { id: 'desc' } })
      return rows.map(toView)
    },

    listCredentials: (
      userId: string,
      relyingPartyId: string,
    ): Promise<{ credentialId: string; transports: string[] }[]> =>
      prisma.passkey.findMany({
        where: { userId, relyingPartyId },
        select: { credentialId: true, transports: true },
      }),

    count: (userId: string, tx: PrismaTransaction = prisma): Promise<number> => tx.passkey.count({ where: { userId } }),

    async find(credentialId: string): Promise<StoredPasskey | null> {
      // A restored passkey is inactive until its owner confirms it.
      const row = await prisma.passkey.findUnique({ where: { credentialId, suspendedAt: null } })
      return row && { ...row, publicKey: new Uint8Array(row.publicKey), counter: Number(row.counter) }
    },

    /** Inserts a passkey. @throws ConflictError when it's already registered. */
    async insert(
      passkey: Omit<StoredPasskey, 'id'> & { name: string; isBackedUp: boolean },
      tx: PrismaTransaction,
    ): Promise<PasskeyView> {
      const { count } = await tx.passkey.createMany({ data: passkey, skipDuplicates: true })
      if (count === 0) throw new ConflictError('This passkey is already registered.', { code: 'passkey_known' })
      return toView(await tx.passkey.findUniqueOrThrow({ where: { credentialId: passkey.credentialId } }))
    },

    /**
     * Records a use of a passkey.
     * @returns false when the passkey was removed, or its counter didn't increase, which means that the passkey was cloned. A
     *   device that keeps no counter always sends 0.
     */
    async use(
      id: string,
      { counter, isBackedUp }: { counter: number; isBackedUp: boolean },
      tx: PrismaTransaction,
    ): Promise<boolean> {
      const lowerCounter = counter === 0 ? { counter: 0 } : { counter: { lt: counter } }
      const { count } = await tx.passkey.updateMany({
        where: { id, ...lowerCounter },
        data: { counter, isBackedUp, lastUsedAt: new Date() },
      })
      return count > 0
    },

    /** Null when the user has no such passkey. */
    async rename(userId: string, id: string, name: string): Promise<PasskeyView | null> {
      const { count } = await prisma.passkey.updateMany({ where: { id, userId }, data: { name } })
      const row = count === 0 ? null : await prisma.passkey.findUnique({ where: { id } })
      return row && toView(row)
    },

    /** @returns false when the user has no such passkey. */
    async remove(userId: string, id: string, tx: PrismaTransaction): Promise<boolean> {
      const { count } = await tx.passkey.deleteMany({ where: { id, userId } })
      return count > 0
    },

    async removeAll(userId: string, tx: PrismaTransaction): Promise<void> {
      await tx.passkey.deleteMany({ where: { userId } })
    },
  }
}

function toView({ id, name, relyingPartyId, isBackedUp, createdAt, lastUsedAt }: PasskeyModel): PasskeyView {
  return {
    id,
    name,
    host: relyingPartyId,
    is_backed_up: isBackedUp,
    created_at: createdAt,
    last_used_at: lastUsedAt,
  }
}
