import type { Database } from '../../../platform/database/client.ts'
import type { PrismaTransaction } from '../users/users.store.ts'

/** The secret of a person's codes, sealed, and whether codes are asked for. */
export interface StoredTotp {
  secret: string
  lastStep: number
  isConfirmed: boolean
}

export type TotpStore = ReturnType<typeof createTotpStore>

/** Secrets of time-based codes and the recovery codes beside them, as rows. */
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

    /** Keeps a secret that nothing is asked for yet. @returns false when codes are on already. */
    async keepDraft(userId: string, secret: string, tx: PrismaTransaction): Promise<boolean> {
      await tx.totpSecret.deleteMany({ where: { userId, confirmedAt: null } })
      const { count } = await tx.totpSecret.createMany({ data: { userId, secret }, skipDuplicates: true })
      return count > 0
    },

    /** Takes the code of a step, unless it or a newer one was taken before. */
    async takeStep(userId: string, step: number, tx: PrismaTransaction): Promise<boolean> {
      const { count } = await tx.totpSecret.updateMany({
        where: { userId, lastStep: { lt: step } },
        data: { lastStep: step },
      })
      return count > 0
    },

    async confirm(userId: string, tx: PrismaTransaction): Promise<void> {
      await tx.totpSecret.update({ where: { userId }, data: { confirmedAt: new Date() } })
    },

    /** Turns codes off. @returns whether they were on, or about to be. */
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

    /** Takes a recovery code, for good. @returns whether there was such a one. */
    async takeRecoveryCode(userId: string, codeHash: string, tx: PrismaTransaction): Promise<boolean> {
      const { count } = await tx.recoveryCode.deleteMany({ where: { userId, codeHash } })
      return count > 0
    },
  }
}
