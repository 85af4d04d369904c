import type { Database } from '../../../platform/database/client.ts'

/** A connection as it is kept: key and headers are sealed. */
export interface ConnectionRow {
  id: string
  name: string
  baseUrl: string
  apiKey: string | null
  headers: string | null
  isEnabled: boolean
}

export type ConnectionValues = Omit<ConnectionRow, 'id'>

export type ConnectionsStore = ReturnType<typeof createConnectionsStore>

const columns = { id: true, name: true, baseUrl: true, apiKey: true, headers: true, isEnabled: true } as const

/** Connections to model servers, as rows. */
export function createConnectionsStore({ prisma }: Pick<Database, 'prisma'>) {
  return {
    /** In the order in which they were added. */
    list: (): Promise<ConnectionRow[]> =>
      prisma.modelConnection.findMany({ select: columns, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] }),

    find: (id: string): Promise<ConnectionRow | null> =>
      prisma.modelConnection.findUnique({ where: { id }, select: columns }),

    add: (values: ConnectionValues): Promise<ConnectionRow> =>
      prisma.modelConnection.create({ data: values, select: columns }),

    /** False when it is not there. */
    async update(id: string, values: Partial<ConnectionValues>): Promise<boolean> {
      const { count } = await prisma.modelConnection.updateMany({ where: { id }, data: values })
      return count === 1
    },

    /** False when it was not there. */
    async remove(id: string): Promise<boolean> {
      const { count } = await prisma.modelConnection.deleteMany({ where: { id } })
      return count === 1
    },
  }
}
