import type { Database } from '../../../platform/database/client.ts'

export type PagesStore = ReturnType<typeof createPagesStore>

/** Items that were fetched from the web, of one person each. */
export function createPagesStore({ prisma }: Pick<Database, 'prisma'>) {
  return {
    /** The newest that was fetched from an address; null when there is none. */
    async find(userId: string, sourceUrl: string): Promise<string | null> {
      const found = await prisma.mediaItem.findFirst({
        where: { userId, sourceKind: 'page', sourceUrl, processingStatus: { not: 'failed' } },
        orderBy: { createdAt: 'desc' },
        select: { id: true },
      })
      return found?.id ?? null
    },
  }
}
