import { useEffect, useEffectEvent } from 'react'

/**
 * Files of a paste. Word processors and spreadsheets add a picture of the copied text, which is ignored. Files copied in a
 * file manager come with their names as text.
 */
export function pastedFiles(clipboard: DataTransfer | null): File[] {
  const has = (type: string) => Boolean(clipboard?.getData(type).trim())
  const isText = has('text/plain') && (has('text/html') || has('text/rtf'))
  return isText ? [] : [...(clipboard?.files ?? [])]
}

/** Calls `onPaste` with the files of every paste on the page. */
export function usePaste(onPaste: (event: ClipboardEvent, files: File[]) => void): void {
  const handle = useEffectEvent((event: ClipboardEvent) => onPaste(event, pastedFiles(event.clipboardData)))
  useEffect(() => {
    const listener = (event: ClipboardEvent) => handle(event)
    document.addEventListener('paste', listener)
    return () => document.removeEventListener('paste', listener)
  }, [])
}
