/** Hidden files, and files that operating systems create: previews, settings, deleted files. */
const SYSTEM_FILE =
  /(?:^|\/)(?:\.(?!\/)|(?:__MACOSX|@eaDir|#recycle|\$RECYCLE\.BIN|System Volume Information|lost\+found)\/|(?:thumbs\.db|desktop\.ini)$)/i

/**
 * True for files of the operating system rather than the user's own. @param path relative to the uploaded folder, with
 * slashes.
 */
export function isSystemFile(path: string): boolean {
  return SYSTEM_FILE.test(path)
}
