import type { Database } from '../database/client.ts'
import type { Decisions } from './default-settings.ts'

const KEY = 'admin_settings'

export type SettingsStore = ReturnType<typeof createSettingsStore>

/** Keeps what administrators have decided, in one row. */
export function createSettingsStore({ prisma }: Pick<Database, 'prisma'>) {
  return {
    /** Nothing is decided before it is written for the first time. */
    async read(): Promise<{ decisions: Decisions; updatedAt: Date | null }> {
      const row = await prisma.setting.findUnique({ where: { key: KEY } })
      return { decisions: (row?.value ?? {}) as Decisions, updatedAt: row?.updatedAt ?? null }
    },

    async write(decisions: Decisions): Promise<void> {
      const value = decisions as Record<string, string>
      await prisma.setting.upsert({ where: { key: KEY }, create: { key: KEY, value }, update: { value } })
    },
  }
}
