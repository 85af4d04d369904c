import type { Capability } from '@mira/shared'

/** Capabilities of models on this machine. */
export const localCapabilities = [
  'embedding',
  'image_embedding',
  'rerank',
  'transcription',
  'caption',
  'chat',
] as const satisfies Capability[]
export type LocalCapability = (typeof localCapabilities)[number]

/** Architecture of a model, which decides how it's loaded and called. */
export type ModelFamily =
  | 'sentence'
  | 'cross-encoder'
  | 'siglip'
  | 'clip'
  | 'whisper'
  | 'florence2'
  | 'image-to-text'
  | 'chat'

/** A file of a model; `name` is its path in the model's folder and on the hub. */
export interface ModelFile {
  name: string
  /** Approximate published size. It bounds downloads from a hub, and is shown until the hub reports the exact size. */
  bytes: number
}

/** A model that this version knows how to run. */
export interface LocalModelInfo {
  /** Name on the hub, and folder within MODELS_DIR. */
  id: string
  capability: LocalCapability
  family: ModelFamily
  /** Used unless an administrator chose another one. */
  isDefault: boolean
  license: string
  files: ModelFile[]
  /** The process that runs it is killed when it uses more. */
  memoryLimitMb: number
}

const MB = 1_000_000
/** Files of configuration and preprocessing. */
const smallFiles = (...names: string[]): ModelFile[] => names.map((name) => ({ name, bytes: 20_000 }))
const weights = (name: string, megabytes: number): ModelFile => ({
  name: `onnx/${name}_quantized.onnx`,
  bytes: megabytes * MB,
})
const tokenizer = (megabytes: number): ModelFile => ({ name: 'tokenizer.json', bytes: megabytes * MB })

/** The models that can run here, quantised to eight bits. */
export const catalogue: readonly LocalModelInfo[] = [
  {
    id: 'Xenova/multilingual-e5-small',
    capability: 'embedding',
    family: 'sentence',
    isDefault: true,
    license: 'MIT',
    memoryLimitMb: 1_500,
    files: [...smallFiles('config.json', 'tokenizer_config.json'), tokenizer(17), weights('model', 118)],
  },
  {
    id: 'Xenova/all-MiniLM-L6-v2',
    capability: 'embedding',
    family: 'sentence',
    isDefault: false,
    license: 'Apache-2.0',
    memoryLimitMb: 1_000,
    files: [...smallFiles('config.json', 'tokenizer_config.json'), tokenizer(0.7), weights('model', 23)],
  },
  {
    id: 'Xenova/siglip-base-patch16-224',
    capability: 'image_embedding',
    family: 'siglip',
    isDefault: true,
    license: 'Apache-2.0',
    memoryLimitMb: 2_000,
    files: [
      ...smallFiles('config.json', 'preprocessor_config.json', 'tokenizer_config.json'),
      ...[tokenizer(2.4), weights('text_model', 111), weights('vision_model', 99.5)],
    ],
  },
  {
    id: 'Xenova/clip-vit-base-patch32',
    capability: 'image_embedding',
    family: 'clip',
    isDefault: false,
    license: 'MIT',
    memoryLimitMb: 2_000,
    files: [
      ...smallFiles('config.json', 'preprocessor_config.json', 'tokenizer_config.json'),
      ...[tokenizer(2.2), weights('text_model', 64.5), weights('vision_model', 89)],
    ],
  },
  {
    id: 'Xenova/bge-reranker-base',
    capability: 'rerank',
    family: 'cross-encoder',
    isDefault: true,
    license: 'MIT',
    memoryLimitMb: 2_000,
    files: [...smallFiles('config.json', 'tokenizer_config.json'), tokenizer(17), weights('model', 279)],
  },
  {
    // Reads only English, but is ten times as fast as the default.
    id: 'Xenova/ms-marco-MiniLM-L-6-v2',
    capability: 'rerank',
    family: 'cross-encoder',
    isDefault: false,
    license: 'Apache-2.0',
    memoryLimitMb: 1_000,
    files: [...smallFiles('config.json', 'tokenizer_config.json'), tokenizer(0.7), weights('model', 23)],
  },
  {
    id: 'Xenova/whisper-base',
    capability: 'transcription',
    family: 'whisper',
    isDefault: true,
    license: 'Apache-2.0',
    memoryLimitMb: 2_000,
    files: [
      ...smallFiles('config.json', 'generation_config.json', 'tokenizer_config.json'),
      // Contains the mel filters.
      { name: 'preprocessor_config.json', bytes: 0.4 * MB },
      ...[tokenizer(2.5), weights('encoder_model', 23), weights('decoder_model_merged', 54)],
    ],
  },
  {
    id: 'onnx-community/Florence-2-base-ft',
    capability: 'caption',
    family: 'florence2',
    isDefault: true,
    license: 'MIT',
    memoryLimitMb: 3_000,
    files: [
      ...smallFiles('config.json', 'generation_config.json', 'preprocessor_config.json'),
      // Lists the thousand location tokens.
      { name: 'tokenizer_config.json', bytes: 0.3 * MB },
      ...[tokenizer(3.5), weights('embed_tokens', 40), weights('vision_encoder', 93)],
      ...[weights('encoder_model', 44), weights('decoder_model_merged', 98)],
    ],
  },
  {
    id: 'Xenova/vit-gpt2-image-captioning',
    capability: 'caption',
    family: 'image-to-text',
    isDefault: false,
    license: 'Apache-2.0',
    memoryLimitMb: 2_000,
    files: [
      ...smallFiles('config.json', 'generation_config.json', 'preprocessor_config.json', 'tokenizer_config.json'),
      ...[tokenizer(2.2), weights('encoder_model', 88), weights('decoder_model_merged', 157)],
    ],
  },
  {
    id: 'onnx-community/Qwen2.5-0.5B-Instruct',
    capability: 'chat',
    family: 'chat',
    isDefault: true,
    license: 'Apache-2.0',
    memoryLimitMb: 3_000,
    files: [
      ...smallFiles('config.json', 'generation_config.json', 'tokenizer_config.json'),
      ...[tokenizer(7), weights('model', 503)],
    ],
  },
  {
    // Writes only English, but is smaller than the default.
    id: 'HuggingFaceTB/SmolLM2-360M-Instruct',
    capability: 'chat',
    family: 'chat',
    isDefault: false,
    license: 'Apache-2.0',
    memoryLimitMb: 2_500,
    files: [
      ...smallFiles('config.json', 'generation_config.json', 'tokenizer_config.json'),
      ...[tokenizer(2.1), weights('model', 365)],
    ],
  },
]

/** Maximum download size of a file: publishers update models now and then, but never change them that much. */
export function maxBytesOf({ bytes }: ModelFile): number {
  return 2 * bytes + 2 * MB
}

/** Approximate size of a model. */
export function approximateBytesOf({ files }: LocalModelInfo): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0)
}

/** The model with this id and capability; null when there is none. */
export function findModel(id: string, capability?: LocalCapability): LocalModelInfo | null {
  return catalogue.find((model) => model.id === id && (capability ?? model.capability) === model.capability) ?? null
}

export function defaultModel(capability: LocalCapability): LocalModelInfo {
  const match = catalogue.find((model) => model.capability === capability && model.isDefault)
  if (match === undefined) throw new TypeError(`No default model for ${capability}.`)
  return match
}
