/** Names that are hidden, and what systems put beside a person's files without being asked: previews, settings, what was deleted. */
const OF_SYSTEM =
  /(?:^|\/)(?:\.(?!\/)|(?:__MACOSX|@eaDir|#recycle|\$RECYCLE\.BIN|System Volume Information|lost\+found)\/|(?:thumbs\.db|desktop\.ini)$)/i

/**
 * True for files of the operating system rather than the user's own. @param path relative to the uploaded folder, with
 * slashes.
 */
export function isSystemFile(path: string): boolean {
  return OF_SYSTEM.test(path)
}
