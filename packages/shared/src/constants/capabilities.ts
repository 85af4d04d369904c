/** Capabilities of engines; each has its own engine or none. */
export const capabilities = [
  'chat',
  'vision',
  'caption',
  'embedding',
  'image_embedding',
  /** Puts what a search found into a better order. */
  'rerank',
  'ocr',
  'transcription',
  'speech',
  'image_edit',
] as const
export type Capability = (typeof capabilities)[number]
