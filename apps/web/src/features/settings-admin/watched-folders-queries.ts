/** The watched folders, as the card keeps them and the dialog renews them. */
export const watchedFoldersKey = ['admin-watched-folders'] as const
