/** Names that are hidden, and what systems put beside a person's files without being asked: previews, settings, what was deleted. */
const OF_SYSTEM =
  /(?:^|\/)(?:\.(?!\/)|(?:__MACOSX|@eaDir|#recycle|\$RECYCLE\.BIN|System Volume Information|lost\+found)\/|(?:thumbs\.db|desktop\.ini)$)/i

/** Whether a file is none that its person keeps. @param path from the folder that they gave on, with slashes. */
export function isSystemFile(path: string): boolean {
  return OF_SYSTEM.test(path)
}
