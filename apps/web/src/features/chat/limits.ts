// Stated again because importing them with their schemas would bring the validator to the page; limits.test.ts compares.

/** The longest message that the server takes (spec §5, api.md Chat). */
export const MESSAGE_MAX_CHARACTERS = 32_000

/** The longest name of a conversation. */
export const SESSION_NAME_MAX_CHARACTERS = 120
