import { useEffect } from 'react'

/** Creates a switch that makes the browser ask before the page is closed or reloaded; each switch is independent. */
export function createClosePrompt(): (isOn: boolean) => void {
  const ask = (event: BeforeUnloadEvent) => event.preventDefault()
  return (isOn) => {
    if (isOn) window.addEventListener('beforeunload', ask)
    else window.removeEventListener('beforeunload', ask)
  }
}

/** Makes the browser ask before the page is closed or reloaded, while `isOn`. */
export function useClosePrompt(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return
    const switchPrompt = createClosePrompt()
    switchPrompt(true)
    return () => switchPrompt(false)
  }, [isOn])
}
