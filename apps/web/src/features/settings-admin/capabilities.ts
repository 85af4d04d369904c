import type { Capability as AnyCapability } from '@mira/shared'

/** What an engine can do, in the order in which it is shown. */
export const capabilities = [
  'chat',
  'vision',
  'caption',
  'embedding',
  'image_embedding',
  'rerank',
  'ocr',
  'transcription',
  'speech',
  'image_edit',
] as const satisfies readonly AnyCapability[]
export type ShownCapability = (typeof capabilities)[number]
