import type { Database } from '../../../platform/database/client.ts'

export type PagesStore = ReturnType<typeof createPagesStore>

/** Access to saved web pages, as items of one user each. */
export function createPagesStore({ prisma }: Pick<Database, 'prisma'>) {
  return {
    /** Newest item saved from an address; null for none. */
    async find(userId: string, sourceUrl: string): Promise<string | null> {
      const item = await prisma.mediaItem.findFirst({
        where: { userId, sourceKind: 'page', sourceUrl, processingStatus: { not: 'failed' } },
        orderBy: { createdAt: 'desc' },
        select: { id: true },
      })
      return item?.id ?? null
    },
  }
}
