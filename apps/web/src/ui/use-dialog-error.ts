import { useState } from 'react'
import { showToast } from './show-toast.ts'
import { useWhileShown } from './use-while-shown.ts'

/** Reason of a dialog's failure; shown as a toast when the dialog was closed meanwhile. */
export function useDialogError(): [string | null, (error: string | null) => void] {
  const [error, setError] = useState<string | null>(null)
  const shown = useWhileShown(setError)
  const show = (next: string | null) => {
    if (shown.current !== null) shown.current(next)
    else if (next !== null) showToast({ tone: 'danger', title: next })
  }
  return [error, show]
}
