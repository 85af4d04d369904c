import type { Database } from '../../../platform/database/client.ts'

/** Newest item that a user saved from an address; null for none. */
export async function findSavedPage({ prisma }: Pick<Database, 'prisma'>, userId: string, sourceUrl: string) {
  const item = await prisma.mediaItem.findFirst({
    where: { userId, sourceKind: 'page', sourceUrl, processingStatus: { not: 'failed' } },
    orderBy: { createdAt: 'desc' },
    select: { id: true },
  })
  return item?.id ?? null
}
