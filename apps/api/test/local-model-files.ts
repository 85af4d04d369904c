// Tiny models under the names of real ones: a few kilobytes each, read by the same code.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { floats, integers, node, writeOnnx } from './onnx-writer.ts'

/** The files of a model by their names. */
export type ModelFiles = Record<string, Uint8Array | string>

/** What the tiny models say and know. */
export const CAPTION = 'a test picture with colours'
export const SPEECH = 'Hello, this is a test'
export const ANSWER = 'The harbour is blue [1].'

const bytesOf = (content: unknown): string => JSON.stringify(content)

function tokenizer(words: string[], extra: object = {}): string {
  const special = words.filter((word) => /^[<[].*[>\]]$/.test(word))
  return bytesOf({
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: special.map((content) => ({
      // times are no marks, but words of their own
      ...{ id: words.indexOf(content), content, special: !/^<\|\d/.test(content) },
      ...{ single_word: false, lstrip: false, rstrip: false, normalized: false },
    })),
    normalizer: { type: 'Lowercase' },
    pre_tokenizer: { type: 'Whitespace' },
    post_processor: null,
    decoder: null,
    model: {
      type: 'WordLevel',
      vocab: Object.fromEntries(words.map((word, at) => [word, at])),
      unk_token: '<unk>',
    },
    ...extra,
  })
}

/** One whose words hold their own spaces. */
function byteTokenizer(words: string[]): string {
  return tokenizer(words, {
    normalizer: null,
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: {
      ...{ type: 'BPE', dropout: null, unk_token: '<unk>', continuing_subword_prefix: null },
      ...{ end_of_word_suffix: null, fuse_unk: false, byte_fallback: false, ignore_merges: false, merges: [] },
      vocab: Object.fromEntries(words.map((word, index) => [word, index])),
    },
  })
}

/** A model that follows one sentence: each word is certain to come after the one before. */
function chain(count: number, sentence: number[]): Float32Array {
  const table = new Float32Array(count * count).fill(-20)
  for (let at = 0; at + 1 < sentence.length; at++) {
    table[(sentence[at] ?? 0) * count + (sentence[at + 1] ?? 0)] = 20
  }
  return table
}

const HIDDEN = 16
const groups = [
  ['cat', 'kitten', 'katze', 'chat', 'gato'],
  ['dog', 'puppy', 'hund', 'chien', 'perro'],
  ['car', 'truck', 'auto', 'voiture', 'coche'],
  ['beach', 'sea', 'strand', 'plage', 'playa'],
  ['invoice', 'bill', 'rechnung', 'facture', 'factura'],
  ['hello', 'greeting', 'hallo', 'bonjour', 'hola'],
]

/** Words of one group are near each other whatever their language; all others lie where chance puts them. */
function sentenceModel(): ModelFiles {
  const others =
    'query passage : . , ? the a an is it this that of in on and with test picture colours how what where long does take to boil egg history railways japan'
  const words = ['<pad>', '<unk>', '<s>', '</s>', ...others.split(' '), ...groups.flat()]
  const random = createRandom(7)
  const vectors = words.map(() => Array.from({ length: HIDDEN }, () => 0.3 * random()))
  for (const [direction, group] of groups.entries()) {
    for (const word of group) {
      vectors[words.indexOf(word)] = Array.from({ length: HIDDEN }, (_, at) => (at === direction ? 8 : 0.2 * random()))
    }
  }
  return {
    'config.json': bytesOf({
      ...{ model_type: 'bert', architectures: ['BertModel'], hidden_size: HIDDEN, vocab_size: words.length },
      ...{ num_hidden_layers: 1, num_attention_heads: 1, max_position_embeddings: 512 },
    }),
    'tokenizer.json': tokenizer(words),
    'tokenizer_config.json': bytesOf({
      ...{ tokenizer_class: 'PreTrainedTokenizerFast', model_max_length: 512, pad_token: '<pad>', unk_token: '<unk>' },
    }),
    'onnx/model_quantized.onnx': writeOnnx({
      inputs: [
        ['input_ids', 'int64', ['b', 's']],
        ['attention_mask', 'int64', ['b', 's']],
      ],
      outputs: [['last_hidden_state', 'float', ['b', 's', HIDDEN]]],
      constants: [floats('E', [words.length, HIDDEN], vectors.flat())],
      nodes: [node('Gather', ['E', 'input_ids'], 'last_hidden_state', { axis: 0 })],
    }),
  }
}

/** The more often a query and a text name things of one group, the higher the score. */
function crossEncoderModel(): ModelFiles {
  const words = ['<pad>', '<unk>', '<s>', '</s>', ...groups.flat()]
  const vectors = words.map((word) => groups.map((group) => (group.includes(word) ? 1 : 0)))
  return {
    'config.json': bytesOf({
      ...{ model_type: 'bert', architectures: ['BertForSequenceClassification'], vocab_size: words.length },
      ...{ num_hidden_layers: 1, num_attention_heads: 1, max_position_embeddings: 512, hidden_size: HIDDEN },
      ...{ id2label: { 0: 'LABEL_0' }, label2id: { LABEL_0: 0 } },
    }),
    'tokenizer.json': tokenizer(words),
    'tokenizer_config.json': bytesOf({
      ...{ tokenizer_class: 'PreTrainedTokenizerFast', model_max_length: 512, pad_token: '<pad>', unk_token: '<unk>' },
    }),
    'onnx/model_quantized.onnx': writeOnnx({
      inputs: [
        ['input_ids', 'int64', ['b', 's']],
        ['attention_mask', 'int64', ['b', 's']],
      ],
      outputs: [['logits', 'float', ['b', 1]]],
      constants: [floats('E', [words.length, groups.length], vectors.flat()), integers('axes', [1], [1])],
      nodes: [
        node('Gather', ['E', 'input_ids'], 'words', { axis: 0 }),
        node('ReduceSum', ['words', 'axes'], 'counts', { keepdims: 0 }),
        node('Mul', ['counts', 'counts'], 'squares'),
        node('ReduceSum', ['squares', 'axes'], 'logits', { keepdims: 1 }),
      ],
    }),
  }
}

/** Pictures and words in a space of colours: a picture lies at its mean colour. */
function looksModel(family: 'siglip' | 'clip'): ModelFiles {
  const output = family === 'clip' ? { texts: 'text_embeds', pictures: 'image_embeds' } : 'pooler_output'
  const [textsOut, picturesOut] = typeof output === 'string' ? [output, output] : [output.texts, output.pictures]
  const colours: Record<string, number[]> = {
    ...{ red: [1, 0, 0], green: [0, 1, 0], blue: [0, 0, 1], sunset: [1, 0.4, 0], sea: [0, 0.4, 1] },
  }
  const words = ['<pad>', '<unk>', '<s>', '</s>', 'a', 'photo', 'of', ...Object.keys(colours)]
  // an unknown text has a direction, too: grey
  const vectors = words.flatMap((word) => colours[word] ?? (word === '<pad>' ? [0, 0, 0] : [0.05, 0.05, 0.05]))
  const side = { height: 32, width: 32 }
  return {
    'config.json': bytesOf({
      ...{ model_type: family, architectures: [family === 'clip' ? 'CLIPModel' : 'SiglipModel'], projection_dim: 3 },
      ...{
        text_config: { model_type: `${family}_text_model` },
        vision_config: { model_type: `${family}_vision_model` },
      },
    }),
    'preprocessor_config.json': bytesOf({
      image_processor_type: family === 'clip' ? 'CLIPImageProcessor' : 'SiglipImageProcessor',
      ...{ do_resize: true, size: side, do_center_crop: false, do_rescale: true, rescale_factor: 1 / 255 },
      ...{ do_normalize: true, image_mean: [0, 0, 0], image_std: [1, 1, 1], do_convert_rgb: true, resample: 3 },
    }),
    'tokenizer.json': tokenizer(words),
    'tokenizer_config.json': bytesOf({
      tokenizer_class: family === 'clip' ? 'CLIPTokenizer' : 'SiglipTokenizer',
      ...{ model_max_length: 64, pad_token: '<pad>', unk_token: '<unk>' },
    }),
    'onnx/text_model_quantized.onnx': writeOnnx({
      inputs: [['input_ids', 'int64', ['b', 's']]],
      outputs: [[textsOut, 'float', ['b', 3]]],
      constants: [floats('E', [words.length, 3], vectors), integers('axes', [1], [1])],
      nodes: [
        node('Gather', ['E', 'input_ids'], 'h', { axis: 0 }),
        node('ReduceSum', ['h', 'axes'], textsOut, { keepdims: 0 }),
      ],
    }),
    'onnx/vision_model_quantized.onnx': writeOnnx({
      inputs: [['pixel_values', 'float', ['b', 3, 'h', 'w']]],
      outputs: [[picturesOut, 'float', ['b', 3]]],
      constants: [],
      nodes: [node('ReduceMean', ['pixel_values'], picturesOut, { axes: [2, 3], keepdims: 0 })],
    }),
  }
}

/** Makes whatever it sees into one row of three numbers. */
const pictureEncoder = (input: string, output: string) =>
  writeOnnx({
    inputs: [[input, 'float', ['b', 3, 'h', 'w']]],
    outputs: [[output, 'float', ['b', 1, 3]]],
    constants: [integers('axes', [1], [1])],
    nodes: [node('ReduceMean', [input], 'm', { axes: [2, 3], keepdims: 0 }), node('Unsqueeze', ['m', 'axes'], output)],
  })

const captionWords = ['<pad>', '<unk>', '<s>', '</s>', ...CAPTION.split(' ')]
const captionChain = () => chain(captionWords.length, [2, 4, 5, 6, 7, 8, 3])
const captionConfigs = {
  'generation_config.json': bytesOf({
    ...{ decoder_start_token_id: 2, bos_token_id: 2, eos_token_id: 3, pad_token_id: 0, max_length: 32 },
  }),
  'tokenizer.json': tokenizer(captionWords),
}
const specialTokens = { pad_token: '<pad>', unk_token: '<unk>', bos_token: '<s>', eos_token: '</s>' }
const captionPicture = (kind: string) => ({
  image_processor_type: kind,
  ...{ do_resize: true, size: { height: 32, width: 32 }, do_rescale: true, rescale_factor: 1 / 255 },
  ...{ do_normalize: true, image_mean: [0.5, 0.5, 0.5], image_std: [0.5, 0.5, 0.5], resample: 2 },
})

function imageToTextModel(): ModelFiles {
  const count = captionWords.length
  return {
    ...captionConfigs,
    'config.json': bytesOf({
      ...{ model_type: 'vision-encoder-decoder', is_encoder_decoder: true, pad_token_id: 0, eos_token_id: 3 },
      ...{ architectures: ['VisionEncoderDecoderModel'], decoder_start_token_id: 2, encoder: { model_type: 'vit' } },
      decoder: {
        ...{ model_type: 'gpt2', n_head: 1, n_layer: 1, n_embd: 4, vocab_size: count },
        ...{ is_decoder: true, add_cross_attention: true },
      },
    }),
    'preprocessor_config.json': bytesOf(captionPicture('ViTImageProcessor')),
    'tokenizer_config.json': bytesOf({ tokenizer_class: 'GPT2Tokenizer', model_max_length: 64, ...specialTokens }),
    'onnx/encoder_model_quantized.onnx': pictureEncoder('pixel_values', 'last_hidden_state'),
    'onnx/decoder_model_merged_quantized.onnx': writeOnnx({
      inputs: [
        ['input_ids', 'int64', ['b', 's']],
        ['encoder_hidden_states', 'float', ['b', 'e', 3]],
      ],
      outputs: [['logits', 'float', ['b', 's', count]]],
      constants: [floats('T', [count, count], captionChain())],
      nodes: [node('Gather', ['T', 'input_ids'], 'logits', { axis: 0 })],
    }),
  }
}

/** Words are rows of the unit matrix, so that the decoder can tell from a row which word came last. */
function florence2Model(): ModelFiles {
  const count = captionWords.length
  const unit = Array.from({ length: count * count }, (_, at) => (Math.floor(at / count) === at % count ? 1 : 0))
  const text = { model_type: 'florence2_language', vocab_size: count, d_model: count, is_encoder_decoder: true }
  const rows = (name: string): ['inputs_embeds' | string, 'float', (number | string)[]] => [
    name,
    'float',
    ['b', 's', count],
  ]
  return {
    ...captionConfigs,
    'config.json': bytesOf({
      ...{ model_type: 'florence2', architectures: ['Florence2ForConditionalGeneration'], is_encoder_decoder: true },
      ...{ pad_token_id: 0, eos_token_id: 3, bos_token_id: 2, projection_dim: count, vocab_size: count },
      text_config: {
        ...text,
        ...{ encoder_layers: 1, decoder_layers: 1, encoder_attention_heads: 1, decoder_attention_heads: 1 },
        ...{ decoder_start_token_id: 2, pad_token_id: 0, eos_token_id: 3, bos_token_id: 2 },
      },
      vision_config: { model_type: 'davit' },
    }),
    'preprocessor_config.json': bytesOf({
      ...captionPicture('CLIPImageProcessor'),
      processor_class: 'Florence2Processor',
      tasks_answer_post_processing_type: { '<DETAILED_CAPTION>': 'pure_text' },
      task_prompts_without_inputs: { '<DETAILED_CAPTION>': 'a picture with colours' },
      task_prompts_with_input: {},
    }),
    'tokenizer_config.json': bytesOf({ tokenizer_class: 'BartTokenizer', model_max_length: 64, ...specialTokens }),
    'onnx/vision_encoder_quantized.onnx': writeOnnx({
      inputs: [['pixel_values', 'float', ['b', 3, 'h', 'w']]],
      outputs: [['image_features', 'float', ['b', 1, count]]],
      constants: [floats('W', [3, count], new Float32Array(3 * count).fill(0.1)), integers('axes', [1], [1])],
      nodes: [
        node('ReduceMean', ['pixel_values'], 'm', { axes: [2, 3], keepdims: 0 }),
        node('MatMul', ['m', 'W'], 'w'),
        node('Unsqueeze', ['w', 'axes'], 'image_features'),
      ],
    }),
    'onnx/embed_tokens_quantized.onnx': writeOnnx({
      inputs: [['input_ids', 'int64', ['b', 's']]],
      outputs: [rows('inputs_embeds')],
      constants: [floats('E', [count, count], unit)],
      nodes: [node('Gather', ['E', 'input_ids'], 'inputs_embeds', { axis: 0 })],
    }),
    'onnx/encoder_model_quantized.onnx': writeOnnx({
      inputs: [['attention_mask', 'int64', ['b', 's']], rows('inputs_embeds')],
      outputs: [rows('last_hidden_state')],
      constants: [],
      nodes: [node('Identity', ['inputs_embeds'], 'last_hidden_state')],
    }),
    'onnx/decoder_model_merged_quantized.onnx': writeOnnx({
      inputs: [
        ['encoder_attention_mask', 'int64', ['b', 'e']],
        ['encoder_hidden_states', 'float', ['b', 'e', count]],
        rows('inputs_embeds'),
      ],
      outputs: [rows('logits')],
      constants: [floats('T', [count, count], captionChain())],
      nodes: [node('MatMul', ['inputs_embeds', 'T'], 'logits')],
    }),
  }
}

function whisperModel(): ModelFiles {
  const words = [
    ...['<unk>', 'ĠHello', ',', 'Ġthis', 'Ġis', 'Ġa', 'Ġtest', '<|endoftext|>', '<|startoftranscript|>', '<|en|>'],
    ...['<|de|>', '<|translate|>', '<|transcribe|>', '<|startoflm|>', '<|startofprev|>', '<|nospeech|>'],
    ...['<|notimestamps|>', ...Array.from({ length: 1501 }, (_, at) => `<|${(at * 0.02).toFixed(2)}|>`)],
  ]
  const count = words.length
  const at = (word: string) => words.indexOf(word)
  const sentence = ['<|startoftranscript|>', '<|en|>', '<|transcribe|>', '<|0.00|>']
  sentence.push('ĠHello', ',', 'Ġthis', 'Ġis', 'Ġa', 'Ġtest', '<|2.00|>', '<|endoftext|>')
  const encoderRow = 80
  return {
    'config.json': bytesOf({
      ...{ model_type: 'whisper', is_encoder_decoder: true, architectures: ['WhisperForConditionalGeneration'] },
      ...{ decoder_start_token_id: at('<|startoftranscript|>'), eos_token_id: 7, pad_token_id: 7, bos_token_id: 7 },
      ...{ vocab_size: count, num_mel_bins: 80, max_source_positions: 1500, max_target_positions: 448, d_model: 4 },
      ...{ encoder_layers: 1, decoder_layers: 1, encoder_attention_heads: 1, decoder_attention_heads: 1 },
    }),
    'generation_config.json': bytesOf({
      ...{ decoder_start_token_id: at('<|startoftranscript|>'), bos_token_id: 7, eos_token_id: 7, pad_token_id: 7 },
      ...{ max_length: 60, no_timestamps_token_id: at('<|notimestamps|>'), is_multilingual: true },
      lang_to_id: { '<|en|>': at('<|en|>'), '<|de|>': at('<|de|>') },
      task_to_id: { transcribe: at('<|transcribe|>'), translate: at('<|translate|>') },
      ...{ suppress_tokens: [], begin_suppress_tokens: [], max_initial_timestamp_index: 50 },
    }),
    'preprocessor_config.json': bytesOf({
      ...{ feature_extractor_type: 'WhisperFeatureExtractor', processor_class: 'WhisperProcessor', feature_size: 80 },
      ...{ sampling_rate: 16_000, n_fft: 400, hop_length: 160, chunk_length: 30, n_samples: 480_000 },
      ...{ nb_max_frames: 3000, padding_value: 0, return_attention_mask: false },
    }),
    'tokenizer.json': byteTokenizer(words),
    'tokenizer_config.json': bytesOf({
      ...{ tokenizer_class: 'WhisperTokenizer', model_max_length: 448, pad_token: '<|endoftext|>', unk_token: '<unk>' },
      ...{ bos_token: '<|endoftext|>', eos_token: '<|endoftext|>' },
    }),
    'onnx/encoder_model_quantized.onnx': writeOnnx({
      inputs: [['input_features', 'float', ['b', 80, 't']]],
      outputs: [['last_hidden_state', 'float', ['b', 1, encoderRow]]],
      constants: [integers('axes', [1], [1])],
      nodes: [
        node('ReduceMean', ['input_features'], 'm', { axes: [2], keepdims: 0 }),
        node('Unsqueeze', ['m', 'axes'], 'last_hidden_state'),
      ],
    }),
    // a table of rank one would not do, and one of all words is 9 MB: words are told apart by the first few rows
    'onnx/decoder_model_merged_quantized.onnx': followingModel(count, sentence.map(at), encoderRow),
  }
}

/** The decoder of a chain over many words of which few occur: a table of those alone, spread over all. */
function followingModel(count: number, sentence: number[], encoderRow: number): Uint8Array {
  const rows = sentence.length
  const rowOf = new Array<number>(count).fill(0)
  for (const [row, word] of sentence.entries()) rowOf[word] = row
  const next = sentence.map((_, row) => sentence[Math.min(row + 1, rows - 1)] ?? 0)
  return writeOnnx({
    inputs: [
      ['input_ids', 'int64', ['b', 's']],
      ['encoder_hidden_states', 'float', ['b', 'e', encoderRow]],
    ],
    outputs: [['logits', 'float', ['b', 's', count]]],
    constants: [
      integers('rowOf', [count], rowOf),
      integers('next', [rows], next),
      integers('depth', [1], [count]),
      floats('values', [2], [-20, 20]),
    ],
    nodes: [
      node('Gather', ['rowOf', 'input_ids'], 'row', { axis: 0 }),
      node('Gather', ['next', 'row'], 'word', { axis: 0 }),
      node('OneHot', ['word', 'depth', 'values'], 'logits', { axis: -1 }),
    ],
  })
}

/**
 * A model that answers every question with one sentence, or goes on for ever; it remembers how much it has read, as real ones do.
 * Letters that it does not know are one token each.
 */
function chatModel(sentence: string[], isEndless = false): ModelFiles {
  const words = ['<unk>', '<|im_start|>', '<|im_end|>', 'Ċ', ...sentence]
  const count = words.length
  const order = [3, ...sentence.map((_, at) => 4 + at), isEndless ? 4 : 2]
  return {
    'config.json': bytesOf({
      ...{ model_type: 'qwen2', architectures: ['Qwen2ForCausalLM'], vocab_size: count, hidden_size: 1 },
      ...{ num_hidden_layers: 1, num_attention_heads: 1, num_key_value_heads: 1, max_position_embeddings: 32_768 },
      ...{ eos_token_id: 2, bos_token_id: 1, pad_token_id: 2 },
    }),
    'generation_config.json': bytesOf({ eos_token_id: [2], bos_token_id: 1, pad_token_id: 2 }),
    'tokenizer.json': byteTokenizer(words),
    'tokenizer_config.json': bytesOf({
      ...{ tokenizer_class: 'Qwen2Tokenizer', model_max_length: 32_768, eos_token: '<|im_end|>', unk_token: '<unk>' },
      chat_template:
        "{% for message in messages %}{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}",
    }),
    'onnx/model_quantized.onnx': writeOnnx({
      inputs: [
        ['input_ids', 'int64', ['b', 's']],
        ['attention_mask', 'int64', ['b', 't']],
        ['past_key_values.0.key', 'float', ['b', 1, 'p', 1]],
        ['past_key_values.0.value', 'float', ['b', 1, 'p', 1]],
      ],
      outputs: [
        ['logits', 'float', ['b', 's', count]],
        ['present.0.key', 'float', ['b', 1, 't', 1]],
        ['present.0.value', 'float', ['b', 1, 't', 1]],
      ],
      constants: [floats('T', [count, count], chain(count, order)), integers('axes', [2], [1, 3])],
      nodes: [
        node('Gather', ['T', 'input_ids'], 'logits', { axis: 0 }),
        node('Cast', ['input_ids'], 'read', { to: 1 }),
        node('Unsqueeze', ['read', 'axes'], 'row'),
        node('Concat', ['past_key_values.0.key', 'row'], 'present.0.key', { axis: 2 }),
        node('Concat', ['past_key_values.0.value', 'row'], 'present.0.value', { axis: 2 }),
      ],
    }),
  }
}

function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32 - 0.5
  }
}

/** The tiny files of every model that this version knows, by its name. */
export const tinyModels: Record<string, () => ModelFiles> = {
  'Xenova/multilingual-e5-small': sentenceModel,
  'Xenova/all-MiniLM-L6-v2': sentenceModel,
  'Xenova/bge-reranker-base': crossEncoderModel,
  'Xenova/ms-marco-MiniLM-L-6-v2': crossEncoderModel,
  'Xenova/siglip-base-patch16-224': () => looksModel('siglip'),
  'Xenova/clip-vit-base-patch32': () => looksModel('clip'),
  'Xenova/whisper-base': whisperModel,
  'onnx-community/Florence-2-base-ft': florence2Model,
  'Xenova/vit-gpt2-image-captioning': imageToTextModel,
  'onnx-community/Qwen2.5-0.5B-Instruct': () => chatModel(['The', 'Ġharbour', 'Ġis', 'Ġblue', 'Ġ[1]', '.']),
  'HuggingFaceTB/SmolLM2-360M-Instruct': () => chatModel(['la', 'Ġla'], true),
}

/** Puts tiny models where a server looks for real ones; all when none are named. */
export function putTinyModels(directory: string, ids: string[] = Object.keys(tinyModels)): void {
  for (const id of ids) {
    for (const [name, content] of Object.entries(tinyModels[id]?.() ?? {})) {
      const path = join(directory, id, name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, content)
    }
  }
}
