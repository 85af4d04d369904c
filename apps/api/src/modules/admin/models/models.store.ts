import type { Database } from '../../../platform/database/client.ts'

export type ModelsStore = ReturnType<typeof createModelsStore>

/** Finds whom the state of this server's models concerns. */
export function createModelsStore({ prisma }: Pick<Database, 'prisma'>) {
  return {
    /** Ids of the administrators. */
    async administrators(): Promise<string[]> {
      const admins = await prisma.user.findMany({ where: { role: 'admin', isActive: true }, select: { id: true } })
      return admins.map(({ id }) => id)
    },
  }
}
