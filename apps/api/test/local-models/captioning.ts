import { floats, integers, node, writeOnnx } from '../onnx-writer.ts'
import { chain, jsonFile, type ModelFiles, tokenizer } from './model-parts.ts'

/** Caption that the test models give every image. */
export const CAPTION = 'a test picture with colours'

/** Encoder that turns any image into one row of three numbers. */
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
  'generation_config.json': jsonFile({
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

/** Model that continues an image with words, one at a time. */
export function imageToTextModel(): ModelFiles {
  const count = captionWords.length
  return {
    ...captionConfigs,
    'config.json': jsonFile({
      ...{ model_type: 'vision-encoder-decoder', is_encoder_decoder: true, pad_token_id: 0, eos_token_id: 3 },
      ...{ architectures: ['VisionEncoderDecoderModel'], decoder_start_token_id: 2, encoder: { model_type: 'vit' } },
      decoder: {
        ...{ model_type: 'gpt2', n_head: 1, n_layer: 1, n_embd: 4, vocab_size: count },
        ...{ is_decoder: true, add_cross_attention: true },
      },
    }),
    'preprocessor_config.json': jsonFile(captionPicture('ViTImageProcessor')),
    'tokenizer_config.json': jsonFile({ tokenizer_class: 'GPT2Tokenizer', model_max_length: 64, ...specialTokens }),
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

/** Florence-2 model whose words are rows of the identity matrix, so that the decoder knows the last word from its row. */
export function florence2Model(): ModelFiles {
  const count = captionWords.length
  const unit = Array.from({ length: count * count }, (_, index) =>
    Math.floor(index / count) === index % count ? 1 : 0,
  )
  const text = { model_type: 'florence2_language', vocab_size: count, d_model: count, is_encoder_decoder: true }
  const rows = (name: string): ['inputs_embeds' | string, 'float', (number | string)[]] => [
    name,
    'float',
    ['b', 's', count],
  ]
  return {
    ...captionConfigs,
    'config.json': jsonFile({
      ...{ model_type: 'florence2', architectures: ['Florence2ForConditionalGeneration'], is_encoder_decoder: true },
      ...{ pad_token_id: 0, eos_token_id: 3, bos_token_id: 2, projection_dim: count, vocab_size: count },
      text_config: {
        ...text,
        ...{ encoder_layers: 1, decoder_layers: 1, encoder_attention_heads: 1, decoder_attention_heads: 1 },
        ...{ decoder_start_token_id: 2, pad_token_id: 0, eos_token_id: 3, bos_token_id: 2 },
      },
      vision_config: { model_type: 'davit' },
    }),
    'preprocessor_config.json': jsonFile({
      ...captionPicture('CLIPImageProcessor'),
      processor_class: 'Florence2Processor',
      tasks_answer_post_processing_type: { '<DETAILED_CAPTION>': 'pure_text' },
      task_prompts_without_inputs: { '<DETAILED_CAPTION>': 'a picture with colours' },
      task_prompts_with_input: {},
    }),
    'tokenizer_config.json': jsonFile({ tokenizer_class: 'BartTokenizer', model_max_length: 64, ...specialTokens }),
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
