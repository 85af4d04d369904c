import type { Database } from '../../../platform/database/client.ts'
import type { PrismaTransaction } from '../users/users.store.ts'

interface StoredTotp {
  /** Encrypted secret. */
  secret: string
  /** Step of the last code used; its code and earlier ones are refused. */
  lastStep: number
  isConfirmed: boolean
}

export type TotpStore = ReturnType<typeof createTotpStore>

/** Rows of secrets for time-based codes, and of recovery codes. */
export function createTotpStore({ prisma }: Pick<Database, 'prisma'>) {
  return {
    async find(userId: string, tx: PrismaTransaction = prisma): Promise<StoredTotp | null> {
      const row = await tx.totpSecret.findUnique({ where: { userId } })
      return row && { secret: row.secret, lastStep: Number(row.lastStep), isConfirmed: row.confirmedAt !== null }
    },

    /** True when sign-ins require a code. */
    async isOn(userId: string, tx: PrismaTransaction = prisma): Promise<boolean> {
      return (await tx.totpSecret.count({ where: { userId, confirmedAt: { not: null } } })) > 0
    },

    /** Stores an unconfirmed secret. @returns false when codes are already on. */
    async storeDraft(userId: string, secret: string, tx: PrismaTransaction): Promise<boolean> {
      await tx.totpSecret.deleteMany({ where: { userId, confirmedAt: null } })
      const { count } = await tx.totpSecret.createMany({ data: { userId, secret }, skipDuplicates: true })
      return count > 0
    },

    /** Uses up the code of a step. @returns false when this code or a later one was used before. */
    async takeStep(userId: string, step: number, tx: PrismaTransaction): Promise<boolean> {
      const { count } = await tx.totpSecret.updateMany({
        where: { userId, lastStep: { lt: step } },
        data: { lastStep: step },
      })
      return count > 0
    },

    /** Marks a secret as confirmed. @returns false when it was confirmed or replaced meanwhile. */
    async confirm(userId: string, secret: string, tx: PrismaTransaction): Promise<boolean> {
      const { count } = await tx.totpSecret.updateMany({
        where: { userId, secret, confirmedAt: null },
        data: { confirmedAt: new Date() },
      })
      return count > 0
    },

    /** Turns codes off. @returns false when there was no secret, confirmed or not. */
    async remove(userId: string, tx: PrismaTransaction): Promise<boolean> {
      await tx.recoveryCode.deleteMany({ where: { userId } })
      const { count } = await tx.totpSecret.deleteMany({ where: { userId } })
      return count > 0
    },

    async replaceRecoveryCodes(userId: string, hashes: string[], tx: PrismaTransaction): Promise<void> {
      await tx.recoveryCode.deleteMany({ where: { userId } })
      await tx.recoveryCode.createMany({ data: hashes.map((codeHash) => ({ userId, codeHash })) })
    },

    countRecoveryCodes: (userId: string): Promise<number> => prisma.recoveryCode.count({ where: { userId } }),

    /** Uses up a recovery code. @returns false when there's no such code. */
    async takeRecoveryCode(userId: string, codeHash: string, tx: PrismaTransaction): Promise<boolean> {
      const { count } = await tx.recoveryCode.deleteMany({ where: { userId, codeHash } })
      return count > 0
    },
  }
}
