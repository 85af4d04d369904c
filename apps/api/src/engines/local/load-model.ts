import {
  AutoModelForCausalLM,
  AutoModelForSequenceClassification,
  type AutomaticSpeechRecognitionPipeline,
  AutoProcessor,
  AutoTokenizer,
  CLIPTextModelWithProjection,
  CLIPVisionModelWithProjection,
  env,
  type FeatureExtractionPipeline,
  Florence2ForConditionalGeneration,
  type Florence2Processor,
  type ImageToTextPipeline,
  LogLevel,
  type PreTrainedModel,
  type PreTrainedTokenizer,
  type Processor,
  pipeline,
  SiglipTextModel,
  SiglipVisionModel,
} from '@huggingface/transformers'
import type { ModelFamily } from './catalogue.ts'

/** Model to load, and its number of threads. */
export interface ModelToRun {
  directory: string
  id: string
  family: ModelFamily
  threads: number
}

/** Parts of a loaded model, by family. */
interface LoadedModels {
  sentence: FeatureExtractionPipeline
  crossEncoder: { tokenizer: PreTrainedTokenizer; model: PreTrainedModel }
  imageAndText: {
    tokenizer: PreTrainedTokenizer
    processor: Processor
    texts: PreTrainedModel
    pictures: PreTrainedModel
  }
  whisper: AutomaticSpeechRecognitionPipeline
  florence2: { processor: Florence2Processor; model: PreTrainedModel }
  imageToText: ImageToTextPipeline
  chat: { tokenizer: PreTrainedTokenizer; model: PreTrainedModel }
}

/** Failure to load a model; the request itself was fine. */
class LoadError extends Error {
  readonly code = 'load_failed'
}

// Only downloaded and verified files are read.
env.allowRemoteModels = false
env.allowLocalModels = true
env.useFSCache = false
env.logLevel = LogLevel.ERROR

let loading: { id: string; model: Promise<Partial<LoadedModels>> } | undefined

/** Loads a model once; a process only ever runs one model. @throws LoadError */
export async function loadModel(model: ModelToRun): Promise<Partial<LoadedModels>> {
  if (loading?.id !== model.id) loading = { id: model.id, model: load(model) }
  try {
    return await loading.model
  } catch (error) {
    loading = undefined
    const reason = error instanceof Error ? error.message : String(error)
    throw new LoadError(reason.replaceAll(model.directory, 'MODELS_DIR'))
  }
}

async function load({ directory, id, family, threads }: ModelToRun): Promise<Partial<LoadedModels>> {
  env.localModelPath = directory
  env.cacheDir = directory
  const options = {
    dtype: 'q8',
    device: 'cpu',
    local_files_only: true,
    session_options: { intraOpNumThreads: threads, interOpNumThreads: 1, executionMode: 'sequential' },
  } as const
  switch (family) {
    case 'sentence':
      return { sentence: await pipeline('feature-extraction', id, options) }
    case 'cross-encoder': {
      const tokenizer = await AutoTokenizer.from_pretrained(id, options)
      return {
        crossEncoder: { tokenizer, model: await AutoModelForSequenceClassification.from_pretrained(id, options) },
      }
    }
    case 'siglip':
    case 'clip': {
      const [textModel, pictureModel] =
        family === 'siglip'
          ? [SiglipTextModel, SiglipVisionModel]
          : [CLIPTextModelWithProjection, CLIPVisionModelWithProjection]
      const tokenizer = await AutoTokenizer.from_pretrained(id, options)
      const processor = await AutoProcessor.from_pretrained(id, options)
      const texts = await textModel.from_pretrained(id, options)
      return {
        imageAndText: { tokenizer, processor, texts, pictures: await pictureModel.from_pretrained(id, options) },
      }
    }
    case 'whisper':
      return { whisper: await pipeline('automatic-speech-recognition', id, options) }
    case 'florence2': {
      const processor = (await AutoProcessor.from_pretrained(id, options)) as Florence2Processor
      return { florence2: { processor, model: await Florence2ForConditionalGeneration.from_pretrained(id, options) } }
    }
    case 'image-to-text':
      return { imageToText: await pipeline('image-to-text', id, options) }
    case 'chat': {
      const tokenizer = await AutoTokenizer.from_pretrained(id, options)
      return { chat: { tokenizer, model: await AutoModelForCausalLM.from_pretrained(id, options) } }
    }
  }
}

/** Rows of a tensor, normalised to length 1. */
export function unitRows(tensor: { data: unknown; dims: number[] }): Float32Array[] {
  const data = tensor.data as Float32Array
  const width = tensor.dims.at(-1) ?? 0
  return Array.from({ length: data.length / width }, (_, row) => {
    const vector = data.slice(row * width, (row + 1) * width)
    const length = Math.hypot(...vector)
    if (!Number.isFinite(length) || length === 0) throw new Error('a vector has no direction')
    return vector.map((number) => number / length)
  })
}
