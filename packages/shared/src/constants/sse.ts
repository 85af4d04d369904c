/** Data of the last event of every stream. */
export const SSE_DONE = '[DONE]'
