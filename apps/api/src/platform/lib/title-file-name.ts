const NAME_MAX_CHARACTERS = 80

/** A name that every file system takes and that leads into no other folder; its extension stays. */
export function plainName(name: string): string {
  const safe = name
    .toWellFormed()
    .replace(/[\\/:*?"<>|\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^\.+/, '')
  const [extension = ''] = /\.[a-z0-9]{1,8}$/i.exec(safe) ?? []
  const stem = [...safe.slice(0, safe.length - extension.length)].slice(0, NAME_MAX_CHARACTERS).join('').trim()
  return `${stem === '' ? 'file' : stem}${extension}`
}

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
