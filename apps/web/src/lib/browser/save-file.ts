/** Downloads a file to the user's device. */
export function saveFile({ blob, name }: { blob: Blob; name: string }): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // Some browsers read the URL only after the click; the download has started by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
