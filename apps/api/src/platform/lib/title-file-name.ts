const MAX_CHARACTERS = 120

/** The name of a file for what has a title: without what no folder takes. `fallback` names what has none. */
export function titleFileName(title: string, extension: string, fallback: string): string {
  const name = Array.from(
    title
      .toWellFormed()
      .replaceAll(/[\p{Cc}\\/:*?"<>|\s]+/gu, ' ')
      .trim(),
  )
    .slice(0, MAX_CHARACTERS)
    .join('')
    .trim()
  return `${/^\.*$/.test(name) ? fallback : name}.${extension}`
}
