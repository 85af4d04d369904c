/** A model server's response, streamed through unchanged. */
export interface RelayedResponse {
  contentType: string
  /** Null for an empty response. Reading it throws an EngineError when the server breaks off or goes silent. */
  body: AsyncIterable<Uint8Array> | null
}

/** Forwards requests in the OpenAI protocol to the connected model server. */
export interface Relay {
  /** Ids of the listed models and of the chat model, which may be unlisted. */
  models(): Promise<string[]>
  /**
   * Forwards a request and returns the server's response.
   * @param path below the base URL, such as `/chat/completions`.
   * @param body with the model's id as `model`.
   * @param signal aborts the request, even while the response is read.
   * @throws EngineError when the server is unreachable or refuses; it contains no secrets.
   */
  post(path: string, body: Record<string, unknown>, signal: AbortSignal): Promise<RelayedResponse>
}

/** Describes pictures. */
export interface Captioner {
  engine: 'remote' | 'local'
  model(): string | null
  /**
   * Describes a picture in one or two plain sentences.
   * @param picture a JPEG, PNG or WebP of at most 1568 pixels.
   * @param language ISO 639-1 code to write in.
   * @returns the text, with its `language` when the engine can't write any other.
   * @throws EngineError; its `code` tells permanent failures (a wrong key) from temporary ones (a server that is down).
   */
  caption(
    picture: { data: Uint8Array; contentType: string },
    options: { language: string; signal: AbortSignal },
  ): Promise<{ text: string; model: string; language?: string }>
}

/** A piece of speech; times are seconds from the start. */
export interface Segment {
  start: number
  end: number
  text: string
  /** 0 to 1; null when the engine reports none. */
  confidence: number | null
}

/** Transcribes speech. */
export interface Transcriber {
  engine: 'remote' | 'local'
  model(): string | null
  /**
   * Transcribes a recording.
   * @param filename path of a WAV file: 16 kHz, mono, 16 bit, of any length.
   * @throws EngineError
   */
  transcribe(
    filename: string,
    options: {
      durationSeconds: number
      /** ISO 639-1 code, if known. */
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
   * @param text plain text without markup.
   * @returns a stream of sound in a format that browsers play; reading it throws when the server breaks off.
   * @throws EngineError
   */
  speak(
    text: string,
    options: { voice?: string | undefined; signal: AbortSignal },
  ): Promise<{ sound: AsyncIterable<Uint8Array>; contentType: string; model: string }>
}

/** Turns texts into vectors that are close when the texts are close in meaning. */
export interface Embedder {
  engine: 'remote' | 'local'
  /** The model in use; null before the first request, when it's still unknown. */
  model(): string | null
  /**
   * One vector of length 1 for each text, all with the same number of dimensions.
   * @param purpose some models embed questions differently from passages.
   * @param options.skipsRefused returns an empty vector for a text that the model fails on, if it accepts other texts.
   * @throws EngineError
   */
  embed(
    texts: string[],
    purpose: 'passage' | 'query',
    signal: AbortSignal,
    options?: { skipsRefused?: boolean },
  ): Promise<{ vectors: number[][]; model: string; dimensions: number }>
}

/** Scores how well texts answer a query: better than comparing vectors, and slower. */
export interface Reranker {
  engine: 'remote' | 'local'
  model(): string | null
  /**
   * One score for each text, in order; higher is better. Scores of different queries or models can't be compared.
   * @param documents each is cut to the length that such models read.
   * @throws EngineError, also for invalid scores.
   */
  rerank(query: string, documents: readonly string[], signal: AbortSignal): Promise<{ scores: number[]; model: string }>
}

/** Turns pictures and descriptions of pictures into vectors of one space. */
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
