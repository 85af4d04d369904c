/** File name in a Content-Disposition header; `fallback` when it has none. */
export function fileNameOf(disposition: string | null, fallback: string): string {
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition ?? '')?.[1]
  try {
    if (encoded) return decodeURIComponent(encoded)
  } catch (error) {
    console.warn('Invalid file name in Content-Disposition', error)
  }
  return /filename="([^"]+)"/i.exec(disposition ?? '')?.[1] ?? fallback
}
