import type { Capability } from '@mira/shared'
import type OpenAI from 'openai'

export interface RemoteModel {
  id: string
  contextTokens: number | null
  /** Vision support; null when the server doesn't state it. Likewise `callsTools` and `price`. */
  seesPictures: boolean | null
  callsTools: boolean | null
  /** US dollars per million tokens. */
  price: { input: number; output: number } | null
}

const embeddingModels = /embed|minilm|mpnet|(^|[^a-z0-9])(bge|e5|gte)([^a-z0-9]|$)/i
const rerankModels = /re-?rank|cross-encoder|ms-marco/i
const transcriptionModels = /whisper|transcri|parakeet/i
const speechModels = /(^|[^a-z])(tts|kokoro|piper|orpheus|xtts)|speech(?!.*(recog|to-?text))/i
const imageModels = /gpt-image|dall-e-2|image-edit|kontext|pix2pix/i
const otherModels =
  /tts|speech|audio|dall-e|image|moderation|realtime|diffusion|clip|babbage|davinci|sora|gpt-3.5-turbo-instruct/i

function canChat({ id }: RemoteModel): boolean {
  return ![embeddingModels, rerankModels, transcriptionModels, speechModels, imageModels, otherModels].some((pattern) =>
    pattern.test(id),
  )
}

/** The first model that can chat, judging by names. */
export function chooseChatModel(models: RemoteModel[]): string | null {
  return models.find(canChat)?.id ?? null
}

/** The chat model, or the first model that can see pictures if the server says that the chat model can't. */
export function chooseVisionModel(models: RemoteModel[], chatModel: string | null): string | null {
  if (models.find(({ id }) => id === chatModel)?.seesPictures !== false) return chatModel
  return models.find((model) => model.seesPictures && canChat(model))?.id ?? null
}

export function chooseEmbeddingModel(models: RemoteModel[]): string | null {
  return models.find(({ id }) => embeddingModels.test(id) && !rerankModels.test(id))?.id ?? null
}

export function chooseRerankModel(models: RemoteModel[]): string | null {
  return models.find(({ id }) => rerankModels.test(id))?.id ?? null
}

/** Prefers Whisper, which returns timestamps. */
export function chooseTranscriptionModel(models: RemoteModel[]): string | null {
  const candidates = models.filter(({ id }) => transcriptionModels.test(id))
  return (candidates.find(({ id }) => /whisper/i.test(id)) ?? candidates[0])?.id ?? null
}

export function chooseSpeechModel(models: RemoteModel[]): string | null {
  return models.find(({ id }) => speechModels.test(id) && !transcriptionModels.test(id))?.id ?? null
}

/** A model that edits pictures, judging by names; models that only draw new pictures don't count. */
export function chooseImageModel(models: RemoteModel[]): string | null {
  return models.find(({ id }) => imageModels.test(id))?.id ?? null
}

/** Ids of the models that seem to have a capability, judging by names. */
export function modelsFor(capability: Capability, models: RemoteModel[]): string[] {
  const isAble: Partial<Record<Capability, (model: RemoteModel) => boolean>> = {
    chat: canChat,
    vision: (model) => canChat(model) && model.seesPictures !== false,
    caption: (model) => canChat(model) && model.seesPictures !== false,
    embedding: ({ id }) => embeddingModels.test(id) && !rerankModels.test(id),
    rerank: ({ id }) => rerankModels.test(id),
    transcription: ({ id }) => transcriptionModels.test(id),
    speech: ({ id }) => speechModels.test(id) && !transcriptionModels.test(id),
    image_edit: ({ id }) => imageModels.test(id),
  }
  return models.filter(isAble[capability] ?? (() => false)).map(({ id }) => id)
}

/** Lists a server's models; null when there's a web page at its address. @param known as listed before. */
export async function listModels(
  client: OpenAI,
  timeoutMs: number,
  known: readonly RemoteModel[] = [],
): Promise<RemoteModel[] | null> {
  const page = await client.get('/models', { signal: AbortSignal.timeout(timeoutMs) })
  if (typeof page === 'string' && page.trimStart().startsWith('<')) return null
  const entries = entriesIn(page)
  const isOllama = entries.some((entry) => 'owned_by' in entry && entry.owned_by === 'library')
  const loaded = isOllama ? await contextsInOllama(client, timeoutMs) : null
  const contextOf = (entry: { id: string }): number | null =>
    statedContext(entry) ??
    (loaded &&
      (loaded.get(entry.id) ?? known.find(({ id }) => id === entry.id)?.contextTokens ?? OLLAMA_CONTEXT_TOKENS))
  return entries.map((entry) => ({
    id: entry.id,
    contextTokens: contextOf(entry),
    seesPictures: statedVision(entry),
    callsTools: statedTools(entry),
    price: statedPrice(entry),
  }))
}

/** The models of a list in the shape of OpenAI (`data`), Together (a bare list) or Ollama and others (`models`). */
function entriesIn(page: unknown): { id: string }[] {
  const { data, models } = (typeof page === 'object' && page !== null ? page : {}) as {
    data?: unknown
    models?: unknown
  }
  const listed = [page, data, models].find(Array.isArray) ?? []
  return listed.flatMap((entry: unknown) => {
    if (typeof entry === 'string') return [{ id: entry }]
    if (typeof entry !== 'object' || entry === null) return []
    const { id, name, model } = entry as Record<string, unknown>
    const label = [id, model, name].find((value) => typeof value === 'string' && value !== '')
    return typeof label === 'string' ? [{ ...entry, id: label }] : []
  })
}

/** A model's context in tokens, as stated by llama.cpp, vLLM, Mistral and others; null when not stated. */
function statedContext(entry: object): number | null {
  const { meta, max_model_len, context_length, context_window, max_context_length } = entry as Record<string, unknown>
  const { n_ctx, n_ctx_train } = (typeof meta === 'object' && meta !== null ? meta : {}) as Record<string, unknown>
  const sizes = [n_ctx, n_ctx_train, max_model_len, context_length, context_window, max_context_length]
  return sizes.find((size): size is number => typeof size === 'number' && size > 0) ?? null
}

/**
 * Ollama's context unless it's set or there is much video memory. It doesn't refuse longer prompts, but silently drops their
 * beginning.
 */
const OLLAMA_CONTEXT_TOKENS = 4096

/** Contexts in tokens of the models that Ollama has loaded, by name; empty when it doesn't say. */
async function contextsInOllama(client: OpenAI, timeoutMs: number): Promise<Map<string, number>> {
  try {
    const root = client.baseURL.replace(/\/v1\/?$/, '')
    const response = await client.get(`${root}/api/ps`, { signal: AbortSignal.timeout(timeoutMs) })
    const { models } = (response ?? {}) as { models?: unknown }
    const entries = (Array.isArray(models) ? models : []) as ({ name?: unknown; context_length?: unknown } | null)[]
    return new Map(
      entries.flatMap((entry): [string, number][] => {
        const { name, context_length: tokens } = entry ?? {}
        return typeof name === 'string' && typeof tokens === 'number' && tokens > 0 ? [[name, tokens]] : []
      }),
    )
  } catch {
    // older versions don't state it
    return new Map()
  }
}

/** Vision support as llama.cpp, OpenRouter and Mistral state it; null when unknown. */
function statedVision(entry: object): boolean | null {
  const { architecture, capabilities } = entry as Record<string, { [name: string]: unknown } | null | undefined>
  const inputs = architecture?.input_modalities
  if (Array.isArray(inputs)) return inputs.includes('image')
  const vision = capabilities?.vision
  return typeof vision === 'boolean' ? vision : null
}

/** Tool support as OpenRouter and Mistral state it; null when unknown. */
function statedTools(entry: object): boolean | null {
  const { supported_parameters, capabilities } = entry as Record<string, unknown>
  if (Array.isArray(supported_parameters)) return supported_parameters.includes('tools')
  const calls = (capabilities as { function_calling?: unknown } | null | undefined)?.function_calling
  return typeof calls === 'boolean' ? calls : null
}

/** Dollars per million tokens; OpenRouter states them per token, as strings. Null when unknown. */
function statedPrice(entry: object): RemoteModel['price'] {
  const { pricing } = entry as { pricing?: { prompt?: unknown; completion?: unknown } | null }
  const perMillion = (price: unknown) =>
    typeof price === 'string' && price !== '' ? Number(price) * 1_000_000 : Number.NaN
  const [input, output] = [perMillion(pricing?.prompt), perMillion(pricing?.completion)]
  // Routers that choose a model per request state a negative price.
  return input >= 0 && output >= 0 ? { input: toMillionths(input), output: toMillionths(output) } : null
}

/** Rounds off floating-point errors. */
const toMillionths = (value: number): number => Math.round(value * 1_000_000) / 1_000_000
