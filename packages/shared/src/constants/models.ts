/** Effort of a reasoning model. */
export const reasoningEfforts = ['low', 'medium', 'high'] as const

/** Id of the connection configured by the environment. */
export const ENVIRONMENT_CONNECTION = 'environment'

/** Connection name of models that run on this server. */
export const LOCAL_CONNECTION = 'local'

/** Capabilities of engines; each has its own engine or none. */
export const capabilities = [
  'chat',
  'vision',
  'caption',
  'embedding',
  'image_embedding',
  /** Reorders search hits by relevance. */
  'rerank',
  'ocr',
  'transcription',
  'speech',
  'image_edit',
] as const
export type Capability = (typeof capabilities)[number]
