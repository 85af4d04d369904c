import { type ComponentType, lazy } from 'react'
import { loadDialogPanel } from './dialog.tsx'
import { LaterPart } from './later-part.tsx'

/** A dialog whose own code is loaded when it is first shown, together with that of all dialogs; it closes when that does not come. */
export function dialogLater<Props extends { onClose: () => void }>(load: () => Promise<ComponentType<Props>>) {
  const Loaded = lazy(async () => {
    const [Dialog] = await Promise.all([load(), loadDialogPanel()])
    return { default: Dialog as ComponentType<{ onClose: () => void }> }
  })
  return (props: Props) => (
    <LaterPart onError={props.onClose}>
      <Loaded {...props} />
    </LaterPart>
  )
}
