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
