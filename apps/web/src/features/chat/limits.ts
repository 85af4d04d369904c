// Stated again because importing them with their schemas would bring the validator to the page; limits.test.ts compares.

/** The longest message that the server takes (spec §5, api.md Chat). */
export const MESSAGE_MAX_CHARACTERS = 32_000

/** The longest name of a conversation. */
export const SESSION_NAME_MAX_CHARACTERS = 120

/** How many items of the library go with one message. */
export const MESSAGE_MAX_MEDIA = 10

/** How many pictures go with one message, and how large each may be. */
export const MESSAGE_MAX_IMAGES = 5
export const IMAGE_MAX_BYTES = 8 * 1024 * 1024
