import { cutText } from '@mira/shared/constants/cut-text'

const MAX_NAME_CHARACTERS = 80
/** File systems allow 255 bytes; an extension, a date and the like are added. */
const MAX_NAME_BYTES = 200

/** Shortens a name to a length that file systems accept, by whole characters. */
export function shortName(name: string, maxCharacters = MAX_NAME_CHARACTERS): string {
  const cut = cutText(name, [...name].slice(0, maxCharacters).join('').length)
  // `stream` drops an incomplete last code point.
  const fitting = new TextDecoder().decode(Buffer.from(cut).subarray(0, MAX_NAME_BYTES), { stream: true })
  return cutText(cut, fitting.length)
}

/** Device names, which Windows doesn't allow as file names, whatever the extension. */
const DEVICE = /^(?:con|prn|aux|nul|(?:com|lpt)[0-9¹²³])(?=$|\.)/i

/** A name that every file system accepts and that can't lead into another folder; keeps the extension. */
export function safeFileName(name: string): string {
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

const MAX_TITLE_CHARACTERS = 120

/** File name for a title, without characters that file systems reject; `fallback` replaces an empty title. */
export function titleFileName(title: string, extension: string, fallback: string): string {
  const plain = title
    .toWellFormed()
    .replaceAll(/[\p{Cc}\\/:*?"<>|\s]+/gu, ' ')
    .trim()
  const name = shortName(plain, MAX_TITLE_CHARACTERS).trim()
  return `${/^\.*$/.test(name) ? fallback : name}.${extension}`
}
