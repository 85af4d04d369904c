import { z } from 'zod'
import { capabilitySchema } from './system.ts'

/** GET /admin/models: models that this server can run itself. */
export const localModelSchema = z.object({
  /** Such as Xenova/multilingual-e5-small. */
  id: z.string(),
  capability: capabilitySchema,
  /** absent: not on this machine; downloading; ready: on disk and checked; failed: the reason is in `error`. */
  state: z.enum(['absent', 'downloading', 'ready', 'failed']),
  /** True while its process is running. */
  is_loaded: z.boolean(),
  /** True for the default model of its capability. */
  is_default: z.boolean(),
  /** Bytes of all its files; null while it is not known. */
  size_bytes: z.number().int().nullable(),
  downloaded_bytes: z.number().int(),
  license: z.string(),
  error: z.string().nullable(),
})
export type LocalModel = z.infer<typeof localModelSchema>
export const localModelsResponseSchema = z.object({
  models: z.array(localModelSchema),
  /** False when LOCAL_MODELS=off: models that are on disk are not used either. */
  is_enabled: z.boolean(),
  directory: z.string(),
})
export type LocalModelsResponse = z.infer<typeof localModelsResponseSchema>
