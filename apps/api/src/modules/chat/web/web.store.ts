import { checkSchema, webSearchProviders } from '@mira/shared'
import { z } from 'zod'
import type { Database } from '../../../platform/database/client.ts'

const KEY = 'web'

const keptSchema = z.object({
  allowed: z.boolean(),
  provider: z.enum(webSearchProviders).nullable(),
  baseUrl: z.string().nullable(),
  /** Sealed. */
  apiKey: z.string().nullable(),
  check: checkSchema,
})
/** Stored settings of web access. */
export type KeptWeb = z.infer<typeof keptSchema>

const nothing: KeptWeb = { allowed: false, provider: null, baseUrl: null, apiKey: null, check: { state: 'off' } }

export type WebStore = ReturnType<typeof createWebStore>

/** Keeps it in one row of the settings. */
export function createWebStore({ prisma }: Pick<Database, 'prisma'>) {
  return {
    /** Nothing is allowed until someone allows it; settings of a later version don't count. */
    async read(): Promise<KeptWeb> {
      const row = await prisma.setting.findUnique({ where: { key: KEY } })
      return keptSchema.safeParse(row?.value).data ?? nothing
    },

    async write(value: KeptWeb): Promise<void> {
      await prisma.setting.upsert({ where: { key: KEY }, create: { key: KEY, value }, update: { value } })
    },
  }
}
