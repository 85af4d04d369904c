// Tiny models under the names of real ones: a few kilobytes each, read by the same code.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { florence2Model, imageToTextModel } from './local-models/captioning.ts'
import type { ModelFiles } from './local-models/model-parts.ts'
import { crossEncoderModel, imageEmbeddingModel, sentenceModel } from './local-models/searching.ts'
import { chatModel, whisperModel } from './local-models/speech-and-chat-models.ts'

/** Tiny files of every model that this version supports, by model id. */
export const tinyModels: Record<string, () => ModelFiles> = {
  'Xenova/multilingual-e5-small': sentenceModel,
  'Xenova/all-MiniLM-L6-v2': sentenceModel,
  'Xenova/bge-reranker-base': crossEncoderModel,
  'Xenova/ms-marco-MiniLM-L-6-v2': crossEncoderModel,
  'Xenova/siglip-base-patch16-224': () => imageEmbeddingModel('siglip'),
  'Xenova/clip-vit-base-patch32': () => imageEmbeddingModel('clip'),
  'Xenova/whisper-base': whisperModel,
  'onnx-community/Florence-2-base-ft': florence2Model,
  'Xenova/vit-gpt2-image-captioning': imageToTextModel,
  'onnx-community/Qwen2.5-0.5B-Instruct': () => chatModel(['The', 'Ġharbour', 'Ġis', 'Ġblue', 'Ġ[1]', '.']),
  'HuggingFaceTB/SmolLM2-360M-Instruct': () => chatModel(['la', 'Ġla'], true),
}

/** Writes tiny models to a server's model folder; by default all of them. */
export function installTinyModels(directory: string, ids: string[] = Object.keys(tinyModels)): void {
  for (const id of ids) {
    for (const [name, content] of Object.entries(tinyModels[id]?.() ?? {})) {
      const path = join(directory, id, name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, content)
    }
  }
}
