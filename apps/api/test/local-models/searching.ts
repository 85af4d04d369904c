import { floats, integers, node, writeOnnx } from '../onnx-writer.ts'
import { jsonFile, type ModelFiles, tokenizer } from './model-parts.ts'

const HIDDEN = 16
const groups = [
  ['cat', 'kitten', 'katze', 'chat', 'gato'],
  ['dog', 'puppy', 'hund', 'chien', 'perro'],
  ['car', 'truck', 'auto', 'voiture', 'coche'],
  ['beach', 'sea', 'strand', 'plage', 'playa'],
  ['invoice', 'bill', 'rechnung', 'facture', 'factura'],
  ['hello', 'greeting', 'hallo', 'bonjour', 'hola'],
]

/** Text embedding model: words of one group have similar vectors in every language, all others have random ones. */
export function sentenceModel(): ModelFiles {
  const others =
    'query passage : . , ? the a an is it this that of in on and with test picture colours how what where long does take to boil egg history railways japan'
  const words = ['<pad>', '<unk>', '<s>', '</s>', ...others.split(' '), ...groups.flat()]
  const random = createRandom(7)
  const vectors = words.map(() => Array.from({ length: HIDDEN }, () => 0.3 * random()))
  for (const [direction, group] of groups.entries()) {
    for (const word of group) {
      vectors[words.indexOf(word)] = Array.from({ length: HIDDEN }, (_, axis) =>
        axis === direction ? 8 : 0.2 * random(),
      )
    }
  }
  return {
    'config.json': jsonFile({
      ...{ model_type: 'bert', architectures: ['BertModel'], hidden_size: HIDDEN, vocab_size: words.length },
      ...{ num_hidden_layers: 1, num_attention_heads: 1, max_position_embeddings: 512 },
    }),
    'tokenizer.json': tokenizer(words),
    'tokenizer_config.json': jsonFile({
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

/** Cross-encoder: the more often a query and a text name things of one group, the higher the score. */
export function crossEncoderModel(): ModelFiles {
  const words = ['<pad>', '<unk>', '<s>', '</s>', ...groups.flat()]
  const vectors = words.map((word) => groups.map((group) => (group.includes(word) ? 1 : 0)))
  return {
    'config.json': jsonFile({
      ...{ model_type: 'bert', architectures: ['BertForSequenceClassification'], vocab_size: words.length },
      ...{ num_hidden_layers: 1, num_attention_heads: 1, max_position_embeddings: 512, hidden_size: HIDDEN },
      ...{ id2label: { 0: 'LABEL_0' }, label2id: { LABEL_0: 0 } },
    }),
    'tokenizer.json': tokenizer(words),
    'tokenizer_config.json': jsonFile({
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

/** Model that embeds images and words in a space of colours: the vector of an image is its mean colour. */
export function imageEmbeddingModel(family: 'siglip' | 'clip'): ModelFiles {
  const output = family === 'clip' ? { texts: 'text_embeds', pictures: 'image_embeds' } : 'pooler_output'
  const [textsOut, picturesOut] = typeof output === 'string' ? [output, output] : [output.texts, output.pictures]
  const colours: Record<string, number[]> = {
    ...{ red: [1, 0, 0], green: [0, 1, 0], blue: [0, 0, 1], sunset: [1, 0.4, 0], sea: [0, 0.4, 1] },
  }
  const words = ['<pad>', '<unk>', '<s>', '</s>', 'a', 'photo', 'of', ...Object.keys(colours)]
  // Unknown words have a direction, too: grey.
  const vectors = words.flatMap((word) => colours[word] ?? (word === '<pad>' ? [0, 0, 0] : [0.05, 0.05, 0.05]))
  const size = { height: 32, width: 32 }
  return {
    'config.json': jsonFile({
      ...{ model_type: family, architectures: [family === 'clip' ? 'CLIPModel' : 'SiglipModel'], projection_dim: 3 },
      ...{
        text_config: { model_type: `${family}_text_model` },
        vision_config: { model_type: `${family}_vision_model` },
      },
    }),
    'preprocessor_config.json': jsonFile({
      image_processor_type: family === 'clip' ? 'CLIPImageProcessor' : 'SiglipImageProcessor',
      ...{ do_resize: true, size, do_center_crop: false, do_rescale: true, rescale_factor: 1 / 255 },
      ...{ do_normalize: true, image_mean: [0, 0, 0], image_std: [1, 1, 1], do_convert_rgb: true, resample: 3 },
    }),
    'tokenizer.json': tokenizer(words),
    'tokenizer_config.json': jsonFile({
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

function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32 - 0.5
  }
}
