/** Entry types of the memory logs, also used as filters. */
export const logTypes = ['chat', 'media', 'memory_search', 'agent'] as const
export type LogType = (typeof logTypes)[number]

export const logContentTypes = ['conversation', 'image', 'video', 'audio', 'document', 'search', 'calculation'] as const
export type LogContentType = (typeof logContentTypes)[number]

export const logSentiments = ['positive', 'neutral', 'negative'] as const
export type LogSentiment = (typeof logSentiments)[number]

/**
 * In the caller's time zone: today since midnight, week the last 7 times 24 hours, month since the beginning of
 * the same day one month ago.
 */
export const logRanges = ['today', 'week', 'month'] as const
export type LogRange = (typeof logRanges)[number]
