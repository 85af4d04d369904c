/** The data of the last line of every stream of server-sent events. */
export const SSE_DONE = '[DONE]'
