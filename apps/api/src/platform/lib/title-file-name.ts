const NAME_MAX_CHARACTERS = 80
/** Names in a folder have at most 255 bytes; an extension, a date and the like come on top. */
const NAME_MAX_BYTES = 200

/** Shortens a name to what file systems take, by whole characters. */
export function shortName(name: string, maxCharacters = NAME_MAX_CHARACTERS): string {
  const bytes = Buffer.from([...name].slice(0, maxCharacters).join(''))
  // a stream waits for the rest of a character that was cut
  return new TextDecoder().decode(bytes.subarray(0, NAME_MAX_BYTES), { stream: true })
}

/** Names of devices: Windows has no files called so, whatever their extension. */
const DEVICE = /^(?:con|prn|aux|nul|(?:com|lpt)[0-9¹²³])(?=$|\.)/i

/** A name that every file system takes and that leads into no other folder; its extension stays. */
export function plainName(name: string): string {
  const safe = name
    .toWellFormed()
    .replace(/[\\/:*?"<>|\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^\.+|(?<!\.)\.+$/g, '')
    .replace(DEVICE, '$&_')
  const [extension = ''] = /\.[a-z0-9]{1,8}$/i.exec(safe) ?? []
  const stem = shortName(safe.slice(0, safe.length - extension.length)).trim()
  return `${stem === '' ? 'file' : stem}${extension}`
}

const MAX_CHARACTERS = 120

/** The name of a file for what has a title: without what no folder takes. `fallback` names what has none. */
export function titleFileName(title: string, extension: string, fallback: string): string {
  const plain = title
    .toWellFormed()
    .replaceAll(/[\p{Cc}\\/:*?"<>|\s]+/gu, ' ')
    .trim()
  const name = shortName(plain, MAX_CHARACTERS).trim()
  return `${/^\.*$/.test(name) ? fallback : name}.${extension}`
}
