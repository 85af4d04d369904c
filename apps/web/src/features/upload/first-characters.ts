/** The beginning of a text on one line, cut to so many characters; null when there is none. */
export function previewOf(text: string | null, mostCharacters: number): string | null {
  const line = text?.replace(/\s+/g, ' ').trim() ?? ''
  if (line === '') return null
  const characters = [...line]
  return characters.length <= mostCharacters ? line : `${characters.slice(0, mostCharacters).join('')}…`
}
