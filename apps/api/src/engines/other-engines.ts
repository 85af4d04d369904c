/** A model server's response, streamed through unchanged. */
export interface Relayed {
  contentType: string
  /** Throws an EngineError where the server breaks off or keeps silent. Null when it answered with nothing. */
  body: AsyncIterable<Uint8Array> | null
}

/** Passes requests in the OpenAI protocol on to the connected model server. */
export interface Relay {
  /** Ids of the models that it lists, and of the one that chats, which it need not list. */
  models(): Promise<string[]>
  /**
   * @param path below its address, such as `/chat/completions`.
   * @param body with the id of the model as `model`.
   * @param signal ends the request, also while the answer is being read.
   * @throws EngineError when it cannot be reached or refuses; nothing secret of what it said is in it.
   */
  post(path: string, body: Record<string, unknown>, signal: AbortSignal): Promise<Relayed>
}

/** Describes pictures. */
export interface Captioner {
  engine: 'remote' | 'local'
  model(): string | null
  /**
   * One or two plain sentences of what is to be seen.
   * @param picture as models see it: a JPEG, PNG or WebP of at most 1568 pixels.
   * @param language ISO 639-1 code to write in.
   * @returns the language it was written in where the engine knows only that one.
   * @throws EngineError; its `code` separates lasting failures (a wrong key) from passing ones (a server that is down).
   */
  caption(
    picture: { data: Uint8Array; contentType: string },
    options: { language: string; signal: AbortSignal },
  ): Promise<{ text: string; model: string; language?: string }>
}

/** A stretch of speech, in seconds from the start. */
export interface Segment {
  start: number
  end: number
  text: string
  /** 0 to 1; null when the engine reports none. */
  confidence: number | null
}

/** Writes down what is said. */
export interface Transcriber {
  engine: 'remote' | 'local'
  model(): string | null
  /**
   * @param filename of a WAV: 16 kHz, mono, 16 bit; of any length: it is sent in pieces that a server takes.
   * @throws EngineError
   */
  transcribe(
    filename: string,
    options: {
      durationSeconds: number
      /** ISO 639-1 code, when it is known. */
      language?: string | undefined
      signal: AbortSignal
      onProgress?: (progress: number) => void
    },
  ): Promise<{ segments: Segment[]; language: string | null; model: string }>
}

/** Reads texts aloud. */
export interface Speaker {
  engine: 'remote' | 'local'
  model(): string | null
  /**
   * @param text words alone, without marks.
   * @returns sound as it comes, of a kind that browsers play; what breaks off throws while it is read.
   * @throws EngineError
   */
  speak(
    text: string,
    options: { voice?: string | undefined; signal: AbortSignal },
  ): Promise<{ sound: AsyncIterable<Uint8Array>; contentType: string; model: string }>
}

/** Turns texts into vectors whose nearness is nearness of meaning. */
export interface Embedder {
  engine: 'remote' | 'local'
  /** Null when it is not known before it is asked. */
  model(): string | null
  /**
   * One vector of length 1 for each text, all of the same dimensions, as measured.
   * @param purpose what a question looks for is embedded differently by some models.
   * @param options.skipsRefused gives a text that the model fails on, while it takes others, an empty vector.
   * @throws EngineError
   */
  embed(
    texts: string[],
    purpose: 'passage' | 'query',
    signal: AbortSignal,
    options?: { skipsRefused?: boolean },
  ): Promise<{ vectors: number[][]; model: string; dimensions: number }>
}

/** Judges how well texts answer a query, better than nearness of vectors and slower. */
export interface Reranker {
  engine: 'remote' | 'local'
  model(): string | null
  /**
   * One score for each text, in their order: a higher one answers better. Scores of two queries, or of two models, say
   * nothing beside each other.
   * @param documents each is cut to what such models read.
   * @throws EngineError, also when the scores are not what they must be.
   */
  rerank(query: string, documents: readonly string[], signal: AbortSignal): Promise<{ scores: number[]; model: string }>
}

/** Turns pictures, and words about pictures, into vectors of one space. */
export interface ImageEmbedder {
  engine: 'remote' | 'local'
  model(): string | null
  /** @param pictures files that sharp can decode. @throws EngineError */
  embedPictures(
    pictures: Uint8Array[],
    signal: AbortSignal,
  ): Promise<{ vectors: number[][]; model: string; dimensions: number }>
  /** @throws EngineError */
  embedTexts(texts: string[], signal: AbortSignal): Promise<{ vectors: number[][]; model: string; dimensions: number }>
}

/** Edits images by instruction, and generates new ones. */
export interface ImageEditor {
  engine: 'remote'
  model(): string | null
  /**
   * @param picture a PNG of at most 1024 pixels.
   * @throws EngineError
   */
  edit(picture: Uint8Array, prompt: string, signal: AbortSignal): Promise<{ picture: Uint8Array; model: string }>
  /** @throws EngineError */
  draw(prompt: string, signal: AbortSignal): Promise<{ picture: Uint8Array; model: string }>
}
