/** Hidden files, and files that operating systems create: previews, settings, deleted files. */
const SYSTEM_FILE =
  /(?:^|\/)(?:\.(?!\/)|(?:__MACOSX|@eaDir|#recycle|\$RECYCLE\.BIN|System Volume Information|lost\+found)\/|(?:thumbs\.db|desktop\.ini)$)/i

/**
 * Unfinished downloads and transfers (Firefox, Chrome, Safari, Nextcloud, WinSCP, rclone, Syncthing, Resilio), and Office's lock
 * and temporary files.
 */
const TEMPORARY_FILE =
  /(?:^|\/)(?:~\$[^/]*|~[^/]*\.tmp)$|\.(?:part|filepart|partial|crdownload|!sync)$|\.[a-z0-9]+\.download(?:\/|$)/i

/**
 * True for files of the operating system or of a running program rather than the user's own. @param path relative to the
 * uploaded folder, with slashes.
 */
export function isSystemFile(path: string): boolean {
  return SYSTEM_FILE.test(path) || TEMPORARY_FILE.test(path)
}
