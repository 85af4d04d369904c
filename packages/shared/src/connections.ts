import { z } from 'zod'
import {
  CONNECTION_KEY_MAX_CHARACTERS,
  CONNECTION_MAX_HEADERS,
  CONNECTION_NAME_MAX_CHARACTERS,
  CONNECTION_URL_MAX_CHARACTERS,
  MODEL_NAME_MAX_CHARACTERS,
  SPEAK_MAX_CHARACTERS,
} from './constants/limits.ts'
import { ENVIRONMENT_CONNECTION } from './constants/models.ts'
import { idSchema } from './ids-and-pages.ts'
import { capabilitySchema, checkSchema } from './system.ts'

/** Fields of POST /voice/transcribe beside the file. */
export const transcribeFieldsSchema = z.object({
  /** Spoken language, when known: an ISO 639-1 code. */
  language: z
    .string()
    .regex(/^[a-z]{2}$/, { error: 'must be a code of two letters, such as en' })
    .optional(),
})

/** POST /voice/transcribe. */
export const transcriptSchema = z.object({
  /** Empty when nothing was said. */
  text: z.string(),
  /** ISO 639-1 code; null when the engine doesn't report it. */
  language: z.string().nullable(),
  /** Seconds. */
  duration: z.number(),
  engine: z.enum(['remote', 'local']),
  /** Model that transcribed the recording; null when none was needed. */
  model: z.string().nullable(),
})
export type Transcript = z.output<typeof transcriptSchema>

/** POST /voice/speak; Markdown syntax isn't read out. */
export const speakSchema = z.strictObject({
  text: z
    .string()
    .trim()
    .min(1, { error: 'Write the text to read aloud.' })
    .max(SPEAK_MAX_CHARACTERS, { error: `At most ${SPEAK_MAX_CHARACTERS} characters can be read aloud at once.` }),
  /** Name of one of the model's voices. */
  voice: z
    .string()
    .regex(/^[\w.-]{1,64}$/, { error: 'must be the name of a voice' })
    .optional(),
})

/** Vectors of all users' texts or pictures by one model; only vectors of the same model are comparable. */
export const embeddingProfileSchema = z.object({
  id: z.number().int(),
  kind: z.enum(['text', 'image']),
  engine: z.string(),
  model: z.string(),
  dimensions: z.number().int(),
  /**
   * filling: being computed for the chosen model, while searches still use older vectors; active: used by searches; old: no
   * longer used, but kept until removed.
   */
  state: z.enum(['filling', 'active', 'old']),
  /** True when the chosen engine computes these vectors. */
  is_chosen: z.boolean(),
  /** Number of texts or pictures with a vector, out of `total`. */
  filled: z.number().int(),
  total: z.number().int(),
  /** Rate and remaining time while filling; null when unknown. */
  per_minute: z.number().nullable(),
  seconds_left: z.number().int().nullable(),
  /** Number of items without vectors because of a failure. */
  failed_items: z.number().int(),
  /** Reason why filling stopped, shown to the user; it's retried automatically. */
  error: z.string().nullable(),
})
export type EmbeddingProfile = z.infer<typeof embeddingProfileSchema>

/** GET /admin/embeddings. */
export const embeddingProfilesResponseSchema = z.object({ profiles: z.array(embeddingProfileSchema) })
export type EmbeddingProfilesResponse = z.infer<typeof embeddingProfilesResponseSchema>

export const embeddingProfileParamsSchema = z.object({ id: z.coerce.number().int().min(1).max(2_147_483_647) })

/** GET /admin/models: a model that this server can run itself. */
export const localModelSchema = z.object({
  /** Id on the model hub, such as Xenova/multilingual-e5-small. */
  id: z.string(),
  capability: capabilitySchema,
  /** absent: not on disk; ready: on disk and verified; failed: the reason is in `error`. */
  state: z.enum(['absent', 'downloading', 'ready', 'failed']),
  /** True while its process is running. */
  is_loaded: z.boolean(),
  /** True for the default model of its capability. */
  is_default: z.boolean(),
  /** Total size of its files; null while unknown. */
  size_bytes: z.number().int().nullable(),
  downloaded_bytes: z.number().int(),
  license: z.string(),
  error: z.string().nullable(),
})
export type LocalModel = z.infer<typeof localModelSchema>
export const localModelsResponseSchema = z.object({
  models: z.array(localModelSchema),
  /** False with LOCAL_MODELS=off; even models on disk aren't used then. */
  is_enabled: z.boolean(),
  directory: z.string(),
})
export type LocalModelsResponse = z.infer<typeof localModelsResponseSchema>

/** Capabilities of a model, as reported by its server or implied by its name; null when unknown. */
export const connectedModelSchema = z.object({
  /** The provider's name for the model. */
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

/** A connected model server, without its secrets. */
export const connectionSchema = z.object({
  /** A UUID, or `environment` for the connection configured in the environment, which can't be changed here. */
  id: z.string(),
  name: z.string(),
  base_url: z.string(),
  has_key: z.boolean(),
  /** Names of the headers sent with every request. */
  header_names: z.array(z.string()),
  enabled: z.boolean(),
  is_environment: z.boolean(),
  /** Result of the last check; `off` when the connection is disabled. */
  check: checkSchema,
  /** Models that the server listed at the last check. */
  models: z.array(connectedModelSchema),
})
export type ModelConnection = z.infer<typeof connectionSchema>

/** Base URL of a server to connect. */
export const baseUrlSchema = z
  .string()
  .trim()
  .max(CONNECTION_URL_MAX_CHARACTERS)
  .refine(isPlainAddress, { error: 'must be an address such as http://localhost:11434/v1, without password or query' })

/** Headers that the HTTP client sets itself. */
const reservedHeaders = new Set(['host', 'content-length', 'content-type', 'transfer-encoding', 'connection'])

/** Headers sent with every request. */
export const headersSchema = z
  .record(
    z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, { error: 'is not a valid header name' }),
    z.string().regex(/^[\x20-\x7e]{0,2000}$/, { error: 'has characters that a header cannot have' }),
  )
  .refine((headers) => Object.keys(headers).length <= CONNECTION_MAX_HEADERS, { error: 'are too many headers' })
  .refine((headers) => !Object.keys(headers).some((name) => reservedHeaders.has(name.toLowerCase())), {
    error: 'include one that every request sets itself',
  })

/** API key of a server to connect. */
export const keySchema = z
  .string()
  .trim()
  .max(CONNECTION_KEY_MAX_CHARACTERS)
  .regex(/^[\x21-\x7e]*$/, { error: 'has characters that a key cannot have' })

/** POST /admin/connections. Key and headers are never returned. */
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
 * PATCH /admin/connections/{id}: omitted fields stay. An empty key or null removes the key; headers replace all earlier ones.
 * With an address of another origin, a key and headers that aren't sent again are removed.
 */
export const updateConnectionSchema = newConnectionSchema.extend({ enabled: z.boolean() }).partial()
export type UpdateConnection = z.output<typeof updateConnectionSchema>

/** POST /admin/connections/test: values to try before saving, with the id of the connection that they would change. */
export const testConnectionSchema = newConnectionSchema
  .pick({ name: true, base_url: true, api_key: true, headers: true })
  .extend({ id: idSchema.nullish() })
export type TestConnection = z.output<typeof testConnectionSchema>

export const connectionTrialSchema = connectionSchema.pick({ check: true, models: true })
export type ConnectionTrial = z.infer<typeof connectionTrialSchema>

export const connectionParamsSchema = z.object({ id: z.union([z.literal(ENVIRONMENT_CONNECTION), idSchema]) })

/** Ollama's name of a model, such as `llama3.2:3b` or `hf.co/someone/model:Q4_K_M`. */
export const ollamaModelSchema = z.strictObject({
  model: z
    .string()
    .trim()
    .max(MODEL_NAME_MAX_CHARACTERS)
    .regex(/^[\w.-]+(\/[\w.-]+)*(:[\w.-]+)?$/, { error: 'must be the name of a model, such as llama3.2:3b' }),
})

/** GET /admin/connections/{id}/ollama: models stored on an Ollama server. */
export const ollamaSchema = z.object({
  /** Version of Ollama; null when the server isn't Ollama or doesn't respond. */
  version: z.string().nullable(),
  models: z.array(z.object({ name: z.string(), size_bytes: z.number().int() })),
})
export type Ollama = z.infer<typeof ollamaSchema>

/** Progress of a model download by Ollama; `done` or `failed` comes last. */
export const ollamaPullEventSchema = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('pulling'),
    /** Bytes of all parts known so far. */
    completed_bytes: z.number().int(),
    total_bytes: z.number().int(),
  }),
  z.object({ state: z.literal('done') }),
  z.object({ state: z.literal('failed'), detail: z.string() }),
])
export type OllamaPullEvent = z.infer<typeof ollamaPullEventSchema>

/** GET /models: a model that can be picked for a conversation. */
export const chatModelSchema = z.object({
  /** The provider's name for the model. */
  id: z.string(),
  name: z.string(),
  /** Name of the model's connection; `local` for a model that this server runs itself. */
  connection: z.string(),
  /** True when the model accepts pictures; null when its server doesn't report that. */
  vision: z.boolean().nullable(),
  tools: z.boolean().nullable(),
  context_tokens: z.number().int().nullable(),
  /** US dollars per million input and output tokens; null when unknown or for a local model. */
  price: z.object({ input: z.number(), output: z.number() }).nullable(),
  /** True for the model used when the user chose none. */
  is_default: z.boolean(),
})
export type ChatModel = z.infer<typeof chatModelSchema>

function isPlainAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  if (!/^https?:$/.test(url.protocol)) return false
  return url.username === '' && url.password === '' && url.search === '' && url.hash === ''
}
