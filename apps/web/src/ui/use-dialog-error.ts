import { useState } from 'react'
import { showToast } from './show-toast.ts'
import { useCurrentIfMounted } from './use-close-if-mounted.ts'

/** Error message of a dialog, and its setter, which shows a toast if the dialog has been closed meanwhile. */
export function useDialogError(): [string | null, (error: string | null) => void] {
  const [error, setError] = useState<string | null>(null)
  const shown = useCurrentIfMounted(setError)
  const show = (next: string | null) => {
    if (shown.current !== null) shown.current(next)
    else if (next !== null) showToast({ tone: 'danger', title: next })
  }
  return [error, show]
}
