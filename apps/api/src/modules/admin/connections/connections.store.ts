import type { Database } from '../../../platform/database/client.ts'

/** A stored connection; key and headers are encrypted. */
export interface ConnectionRow {
  id: string
  name: string
  baseUrl: string
  apiKey: string | null
  headers: string | null
  isEnabled: boolean
}

export type ConnectionValues = Omit<ConnectionRow, 'id'>

const columns = { id: true, name: true, baseUrl: true, apiKey: true, headers: true, isEnabled: true } as const

/** All stored connections, oldest first. */
export function listConnections({ prisma }: Database): Promise<ConnectionRow[]> {
  return prisma.modelConnection.findMany({ select: columns, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] })
}

export function findConnection({ prisma }: Database, id: string): Promise<ConnectionRow | null> {
  return prisma.modelConnection.findUnique({ where: { id }, select: columns })
}

export function insertConnection({ prisma }: Database, values: ConnectionValues): Promise<ConnectionRow> {
  return prisma.modelConnection.create({ data: values, select: columns })
}

/** @returns false when there is no such connection. */
export async function updateConnection(
  { prisma }: Database,
  id: string,
  values: Partial<ConnectionValues>,
): Promise<boolean> {
  const { count } = await prisma.modelConnection.updateMany({ where: { id }, data: values })
  return count === 1
}

/** @returns false when there is no such connection. */
export async function deleteConnection({ prisma }: Database, id: string): Promise<boolean> {
  const { count } = await prisma.modelConnection.deleteMany({ where: { id } })
  return count === 1
}
