import { useEffect, useEffectEvent } from 'react'

/** Calls `onPaste` with the files of every paste on the page. */
export function usePaste(onPaste: (event: ClipboardEvent, files: File[]) => void): void {
  const handle = useEffectEvent((event: ClipboardEvent) => onPaste(event, [...(event.clipboardData?.files ?? [])]))
  useEffect(() => {
    const listener = (event: ClipboardEvent) => handle(event)
    document.addEventListener('paste', listener)
    return () => document.removeEventListener('paste', listener)
  }, [])
}
