import type { CodedSentence } from '@mira/shared'
import type { PrismaClient } from '../../../platform/database/generated/client.ts'

interface Settings {
  prisma: Pick<PrismaClient, 'setting'>
}

/** Stored outcome of the last off-site copy. */
interface OffsiteMark {
  /** Address of the copy; earlier versions didn't store it. */
  address?: string
  /** ISO time of the last successful copy; null when there was none. */
  lastAt: string | null
  /** Number of files that the last successful copy added. */
  added: number
  failed: { at: string; reason: string; told: CodedSentence[] } | null
}

const MARK_KEY = 'backup_offsite_state'

/** Reads the outcome of the last copy to this address; null when none is recorded, and for an empty address. */
export async function readOffsiteMark({ prisma }: Settings, address: string): Promise<OffsiteMark | null> {
  if (address === '') return null
  const row = await prisma.setting.findUnique({ where: { key: MARK_KEY } })
  const mark = (row?.value ?? null) as OffsiteMark | null
  return mark === null || (mark.address ?? address) !== address ? null : mark
}

export async function saveOffsiteMark({ prisma }: Settings, mark: OffsiteMark): Promise<void> {
  const value = JSON.parse(JSON.stringify(mark))
  await prisma.setting.upsert({ where: { key: MARK_KEY }, create: { key: MARK_KEY, value }, update: { value } })
}
