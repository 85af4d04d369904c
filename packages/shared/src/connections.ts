import { z } from 'zod'
import {
  CONNECTION_KEY_MAX_CHARACTERS,
  CONNECTION_MAX_HEADERS,
  CONNECTION_NAME_MAX_CHARACTERS,
  CONNECTION_URL_MAX_CHARACTERS,
  MODEL_NAME_MAX_CHARACTERS,
} from './constants/limits.ts'
import { ENVIRONMENT_CONNECTION } from './constants/models.ts'
import { checkSchema } from './system.ts'
import { idSchema } from './timestamp.ts'

/** Capabilities of a model, as reported by its server or implied by its name; null when unknown. */
export const connectedModelSchema = z.object({
  /** As its provider names it. */
  id: z.string(),
  chat: z.boolean(),
  vision: z.boolean().nullable(),
  tools: z.boolean().nullable(),
  embedding: z.boolean(),
  rerank: z.boolean(),
  transcription: z.boolean(),
  speech: z.boolean(),
  image_edit: z.boolean(),
  context_tokens: z.number().int().nullable(),
})
export type ConnectedModel = z.infer<typeof connectedModelSchema>

/** A model server that is connected; nothing secret of it is ever told. */
export const connectionSchema = z.object({
  /** A UUID, or `environment` for the one that the environment describes, which nothing here changes. */
  id: z.string(),
  name: z.string(),
  base_url: z.string(),
  has_key: z.boolean(),
  /** Names of the headers that go along with every request. */
  header_names: z.array(z.string()),
  enabled: z.boolean(),
  is_environment: z.boolean(),
  /** Result of the last check; off when not enabled. */
  check: checkSchema,
  /** As it listed them last. */
  models: z.array(connectedModelSchema),
})
export type ModelConnection = z.infer<typeof connectionSchema>

/** Address of a model server that administrators connect. */
export const baseUrlSchema = z
  .string()
  .trim()
  .max(CONNECTION_URL_MAX_CHARACTERS)
  .refine(isPlainAddress, { error: 'must be an address such as http://localhost:11434/v1, without password or query' })

/** Headers that belong to how a request is sent. */
const ownHeaders = new Set(['host', 'content-length', 'content-type', 'transfer-encoding', 'connection'])

/** Headers sent with every request. */
export const headersSchema = z
  .record(
    z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, { error: 'is no name of a header' }),
    z.string().regex(/^[\x20-\x7e]{0,2000}$/, { error: 'holds characters that a header cannot have' }),
  )
  .refine((headers) => Object.keys(headers).length <= CONNECTION_MAX_HEADERS, { error: 'are too many headers' })
  .refine((headers) => !Object.keys(headers).some((name) => ownHeaders.has(name.toLowerCase())), {
    error: 'hold one that every request sets by itself',
  })

/** A key of such a server. */
export const keySchema = z
  .string()
  .trim()
  .max(CONNECTION_KEY_MAX_CHARACTERS)
  .regex(/^[\x21-\x7e]*$/, { error: 'holds characters that a key cannot have' })

/** POST /admin/connections. Key and headers are written, never read. */
export const newConnectionSchema = z.strictObject({
  name: z.string().trim().min(1, { error: 'Give it a name.' }).max(CONNECTION_NAME_MAX_CHARACTERS),
  base_url: baseUrlSchema,
  api_key: keySchema.nullish(),
  headers: headersSchema.nullish(),
  enabled: z.boolean().default(true),
})
export type NewConnection = z.output<typeof newConnectionSchema>
export type NewConnectionJson = z.input<typeof newConnectionSchema>

/**
 * PATCH /admin/connections/{id}: what is left out stays. An empty key and null remove it; headers replace those before.
 * With an address on another host, a key and headers that are not given again are forgotten.
 */
export const updateConnectionSchema = newConnectionSchema.extend({ enabled: z.boolean() }).partial()
export type UpdateConnection = z.output<typeof updateConnectionSchema>

/** POST /admin/connections/test: values to try before they are kept, with the id of the connection that they change. */
export const tryConnectionSchema = newConnectionSchema
  .pick({ name: true, base_url: true, api_key: true, headers: true })
  .extend({ id: idSchema.nullish() })
export type TryConnection = z.output<typeof tryConnectionSchema>
export type TryConnectionJson = z.input<typeof tryConnectionSchema>

export const connectionTrialSchema = connectionSchema.pick({ check: true, models: true })
export type ConnectionTrial = z.infer<typeof connectionTrialSchema>

export const connectionParamsSchema = z.object({ id: z.union([z.literal(ENVIRONMENT_CONNECTION), idSchema]) })

/** A model by the name that Ollama knows it by, such as `llama3.2:3b` or `hf.co/someone/model:Q4_K_M`. */
export const ollamaModelSchema = z.strictObject({
  model: z
    .string()
    .trim()
    .max(MODEL_NAME_MAX_CHARACTERS)
    .regex(/^[\w.-]+(\/[\w.-]+)*(:[\w.-]+)?$/, { error: 'is no name of a model, such as llama3.2:3b' }),
})

/** GET /admin/connections/{id}/ollama: what is stored there, where the server is Ollama. */
export const ollamaSchema = z.object({
  /** Null where the server is something else, or does not answer. */
  version: z.string().nullable(),
  models: z.array(z.object({ name: z.string(), size_bytes: z.number().int() })),
})
export type Ollama = z.infer<typeof ollamaSchema>

/** Progress of a model download by Ollama; `done` or `failed` comes last. */
export const ollamaPullEventSchema = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('pulling'),
    /** Bytes of all parts that are known so far. */
    completed_bytes: z.number().int(),
    total_bytes: z.number().int(),
  }),
  z.object({ state: z.literal('done') }),
  z.object({ state: z.literal('failed'), detail: z.string() }),
])
export type OllamaPullEvent = z.infer<typeof ollamaPullEventSchema>

/** GET /models: what may be picked for a conversation. */
export const chatModelSchema = z.object({
  /** As its provider names it. */
  id: z.string(),
  name: z.string(),
  /** Name of the connection that has it; `local` of a model that this server runs itself. */
  connection: z.string(),
  /** Null when its server does not tell. */
  vision: z.boolean().nullable(),
  tools: z.boolean().nullable(),
  context_tokens: z.number().int().nullable(),
  /** US dollars for a million tokens that it reads and writes; null when its server does not tell, or it runs here. */
  price: z.object({ input: z.number(), output: z.number() }).nullable(),
  /** True for the model used when the user chose none. */
  is_default: z.boolean(),
})
export type ChatModel = z.infer<typeof chatModelSchema>

function isPlainAddress(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) return false
  return url.username === '' && url.password === '' && url.search === '' && url.hash === ''
}
