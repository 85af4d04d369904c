import { floats, integers, node, writeOnnx } from '../onnx-writer.ts'
import { byteTokenizer, chain, jsonFile, type ModelFiles } from './model-parts.ts'

/** Transcript of every recording. */
export const SPEECH = 'Hello, this is a test'
/** Answer of the chat model to every message. */
export const ANSWER = 'The harbour is blue [1].'

// Configurations spread their fields in groups, because the formatter would write each field on its own line.

/** Width of the encoder's output: a value per band of the spectrogram. */
const ENCODER_WIDTH = 80

/** Whisper model that transcribes all speech as the same sentence. */
export function whisperModel(): ModelFiles {
  const words = [
    ...['<unk>', 'ĠHello', ',', 'Ġthis', 'Ġis', 'Ġa', 'Ġtest', '<|endoftext|>', '<|startoftranscript|>', '<|en|>'],
    ...['<|de|>', '<|translate|>', '<|transcribe|>', '<|startoflm|>', '<|startofprev|>', '<|nospeech|>'],
    ...['<|notimestamps|>', ...Array.from({ length: 1501 }, (_, step) => `<|${(step * 0.02).toFixed(2)}|>`)],
  ]
  const count = words.length
  const idOf = (word: string) => words.indexOf(word)
  const sentence = ['<|startoftranscript|>', '<|en|>', '<|transcribe|>', '<|0.00|>']
  sentence.push('ĠHello', ',', 'Ġthis', 'Ġis', 'Ġa', 'Ġtest', '<|2.00|>', '<|endoftext|>')
  return {
    'config.json': jsonFile({
      ...{ model_type: 'whisper', is_encoder_decoder: true, architectures: ['WhisperForConditionalGeneration'] },
      ...{ decoder_start_token_id: idOf('<|startoftranscript|>'), eos_token_id: 7, pad_token_id: 7, bos_token_id: 7 },
      ...{ vocab_size: count, num_mel_bins: 80, max_source_positions: 1500, max_target_positions: 448, d_model: 4 },
      ...{ encoder_layers: 1, decoder_layers: 1, encoder_attention_heads: 1, decoder_attention_heads: 1 },
    }),
    'generation_config.json': jsonFile({
      ...{ decoder_start_token_id: idOf('<|startoftranscript|>'), bos_token_id: 7, eos_token_id: 7, pad_token_id: 7 },
      ...{ max_length: 60, no_timestamps_token_id: idOf('<|notimestamps|>'), is_multilingual: true },
      lang_to_id: { '<|en|>': idOf('<|en|>'), '<|de|>': idOf('<|de|>') },
      task_to_id: { transcribe: idOf('<|transcribe|>'), translate: idOf('<|translate|>') },
      ...{ suppress_tokens: [], begin_suppress_tokens: [], max_initial_timestamp_index: 50 },
    }),
    'preprocessor_config.json': jsonFile({
      ...{ feature_extractor_type: 'WhisperFeatureExtractor', processor_class: 'WhisperProcessor', feature_size: 80 },
      ...{ sampling_rate: 16_000, n_fft: 400, hop_length: 160, chunk_length: 30, n_samples: 480_000 },
      ...{ nb_max_frames: 3000, padding_value: 0, return_attention_mask: false },
    }),
    'tokenizer.json': byteTokenizer(words),
    'tokenizer_config.json': jsonFile({
      ...{ tokenizer_class: 'WhisperTokenizer', model_max_length: 448, pad_token: '<|endoftext|>', unk_token: '<unk>' },
      ...{ bos_token: '<|endoftext|>', eos_token: '<|endoftext|>' },
    }),
    'onnx/encoder_model_quantized.onnx': writeOnnx({
      inputs: [['input_features', 'float', ['b', 80, 't']]],
      outputs: [['last_hidden_state', 'float', ['b', 1, ENCODER_WIDTH]]],
      constants: [integers('axes', [1], [1])],
      nodes: [
        node('ReduceMean', ['input_features'], 'm', { axes: [2], keepdims: 0 }),
        node('Unsqueeze', ['m', 'axes'], 'last_hidden_state'),
      ],
    }),
    // a full word-to-word table would be 9 MB, so the decoder has rows only for the sentence's words
    'onnx/decoder_model_merged_quantized.onnx': sentenceDecoder(count, sentence.map(idOf)),
  }
}

/**
 * Decoder that predicts each word of a sentence from the one before. Its table has a row per word of the sentence, not
 * per word of the vocabulary.
 */
function sentenceDecoder(count: number, sentence: number[]): Uint8Array {
  const rows = sentence.length
  const rowOf = new Array<number>(count).fill(0)
  for (const [row, word] of sentence.entries()) rowOf[word] = row
  const next = sentence.map((_, row) => sentence[Math.min(row + 1, rows - 1)] ?? 0)
  return writeOnnx({
    inputs: [
      ['input_ids', 'int64', ['b', 's']],
      ['encoder_hidden_states', 'float', ['b', 'e', ENCODER_WIDTH]],
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
 * Chat model that answers every question with one sentence, or never stops; like real ones, it caches the tokens that it has
 * read. Unknown characters are one token each.
 */
export function chatModel(sentence: string[], isEndless = false): ModelFiles {
  const words = ['<unk>', '<|im_start|>', '<|im_end|>', 'Ċ', ...sentence]
  const count = words.length
  // the line break after the prompt, the sentence, then its first word again or <|im_end|>
  const order = [3, ...sentence.map((_, index) => 4 + index), isEndless ? 4 : 2]
  return {
    'config.json': jsonFile({
      ...{ model_type: 'qwen2', architectures: ['Qwen2ForCausalLM'], vocab_size: count, hidden_size: 1 },
      ...{ num_hidden_layers: 1, num_attention_heads: 1, num_key_value_heads: 1, max_position_embeddings: 32_768 },
      ...{ eos_token_id: 2, bos_token_id: 1, pad_token_id: 2 },
    }),
    'generation_config.json': jsonFile({ eos_token_id: [2], bos_token_id: 1, pad_token_id: 2 }),
    'tokenizer.json': byteTokenizer(words),
    'tokenizer_config.json': jsonFile({
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
