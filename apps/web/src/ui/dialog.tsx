import { lazy, useState } from 'react'
import type { DialogProps } from './dialog-panel.tsx'
import { LaterPart } from './later-part.tsx'

export type { DialogProps }

export const loadDialogPanel = () => import('./dialog-panel.tsx')
const DialogPanel = lazy(() => loadDialogPanel().then((module) => ({ default: module.DialogPanel })))

/**
 * A window over the page: it holds the focus, Escape and a click outside close it, the focus returns to where it was.
 * On a phone it rises from the bottom. Its code is loaded when it is first opened.
 */
export function Dialog(props: DialogProps) {
  const [wasOpened, setWasOpened] = useState(props.open)
  if (props.open && !wasOpened) setWasOpened(true)
  if (!wasOpened) return null
  return (
    <LaterPart resetKey={props.open} onError={() => props.onOpenChange(false)}>
      <DialogPanel {...props} />
    </LaterPart>
  )
}
