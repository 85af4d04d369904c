/** The files of a model by their names. */
export type ModelFiles = Record<string, Uint8Array | string>

/** A file of JSON. */
export const bytesOf = (content: unknown): string => JSON.stringify(content)

/** One that knows these words, parted by spaces. */
export function tokenizer(words: string[], extra: object = {}): string {
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

/** A model that follows one sentence: each word is certain to come after the one before. */
export function chain(count: number, sentence: number[]): Float32Array {
  const table = new Float32Array(count * count).fill(-20)
  for (let at = 0; at + 1 < sentence.length; at++) {
    table[(sentence[at] ?? 0) * count + (sentence[at + 1] ?? 0)] = 20
  }
  return table
}
