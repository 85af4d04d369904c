import type { Database } from './client.ts'

export async function listAdminIds({ prisma }: Pick<Database, 'prisma'>): Promise<string[]> {
  const admins = await prisma.user.findMany({ where: { role: 'admin', isActive: true }, select: { id: true } })
  return admins.map(({ id }) => id)
}
