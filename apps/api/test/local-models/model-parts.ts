/** The files of a model by their names. */
export type ModelFiles = Record<string, Uint8Array | string>

/** Content of a JSON file. */
export const jsonFile = (content: unknown): string => JSON.stringify(content)

/** Tokenizer of these words, which spaces separate. */
export function tokenizer(words: string[], extra: object = {}): string {
  const special = words.filter((word) => /^[<[].*[>\]]$/.test(word))
  return jsonFile({
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: special.map((content) => ({
      // Timestamps are words, not special tokens.
      ...{ id: words.indexOf(content), content, special: !/^<\|\d/.test(content) },
      ...{ single_word: false, lstrip: false, rstrip: false, normalized: false },
    })),
    normalizer: { type: 'Lowercase' },
    pre_tokenizer: { type: 'Whitespace' },
    post_processor: null,
    decoder: null,
    model: {
      type: 'WordLevel',
      vocab: Object.fromEntries(words.map((word, index) => [word, index])),
      unk_token: '<unk>',
    },
    ...extra,
  })
}

/** Tokenizer of words that include their spaces. */
export function byteTokenizer(words: string[]): string {
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

/** Logits of a model that repeats one sentence: each word is certain to follow the previous one. */
export function chain(count: number, sentence: number[]): Float32Array {
  const table = new Float32Array(count * count).fill(-20)
  for (let index = 0; index + 1 < sentence.length; index++) {
    table[(sentence[index] ?? 0) * count + (sentence[index + 1] ?? 0)] = 20
  }
  return table
}
