import { type ComponentType, lazy, useState } from 'react'
import type { DialogProps } from './dialog-panel.tsx'
import { PartBoundary } from './lazy-part.tsx'
import { useCloseIfMounted } from './use-close-if-mounted.ts'

export type { DialogProps }

const loadDialogPanel = () => import('./dialog-panel.tsx')
const DialogPanel = lazy(() => loadDialogPanel().then((module) => ({ default: module.DialogPanel })))

/**
 * Modal dialog: it traps the focus, Escape and a click outside close it, and the focus returns to where it was.
 * On a phone it's a sheet at the bottom. Its code is loaded when it's first opened.
 */
export function Dialog(props: DialogProps) {
  const [wasOpened, setWasOpened] = useState(props.open)
  if (props.open && !wasOpened) setWasOpened(true)
  if (!wasOpened) return null
  return (
    <PartBoundary resetKey={props.open} onError={() => props.onOpenChange(false)}>
      <DialogPanel {...props} />
    </PartBoundary>
  )
}

/** A dialog whose code is loaded when it's first shown, in parallel with the code shared by all dialogs; it closes when its code can't be loaded. */
export function lazyDialog<Props extends { onClose: () => void }>(load: () => Promise<ComponentType<Props>>) {
  const Loaded = lazy(async () => {
    const [Part] = await Promise.all([load(), loadDialogPanel()])
    return { default: Part as ComponentType<{ onClose: () => void }> }
  })
  return (props: Props) => <LoadedDialog Loaded={Loaded} props={props} />
}

function LoadedDialog({ Loaded, props }: LoadedDialogProps) {
  const close = useCloseIfMounted(props.onClose)
  return (
    <PartBoundary onError={close}>
      <Loaded {...props} onClose={close} />
    </PartBoundary>
  )
}

type LoadedDialogProps = { Loaded: ComponentType<{ onClose: () => void }>; props: { onClose: () => void } }
