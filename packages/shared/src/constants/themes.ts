/** What a person can choose of the theme; `system` follows the system's preference. */
export const themeChoices = ['light', 'dark', 'system'] as const
export type ThemeChoice = (typeof themeChoices)[number]
