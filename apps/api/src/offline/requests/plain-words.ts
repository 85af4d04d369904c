/** A text in lower case without accents and needless space, so that "Zürich" and "zurich" are the same. */
export function plainText(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').replace(/ß/g, 'ss').toLowerCase().replace(/\s+/g, ' ').trim()
}

/** Escapes third-party text so that Markdown shows it literally. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_[\]<>|~#!]/g, '\\$&')
}
