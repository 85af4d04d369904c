/** The name that a Content-Disposition header gives a file, or another one when it gives none. */
export function fileNameOf(disposition: string | null, fallback: string): string {
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition ?? '')?.[1]
  try {
    if (encoded) return decodeURIComponent(encoded)
  } catch (error) {
    console.warn('The name of a file could not be read', error)
  }
  return /filename="([^"]+)"/i.exec(disposition ?? '')?.[1] ?? fallback
}
