/** The server refuses an empty file. */
export const FILE_MIN_BYTES = 1
/** So many files wait at once; a whole disk that is dropped by accident is not taken. */
export const QUEUE_MAX_FILES = 2_000
/** So much of a text is shown with an entry. */
export const PREVIEW_CHARACTERS = 100
