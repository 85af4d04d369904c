import { useState } from 'react'
import { useText } from '../../lib/i18n/i18n.ts'
import { lazyPart } from '../../ui/lazy-part.tsx'
import type { SelectionToolsProps } from './selection-tools.tsx'

/** Loads the tools separately from the library, as nothing is selected on most visits. */
export const loadSelectionTools = () => import('./selection-tools.tsx')
const SelectionTools = lazyPart(() => loadSelectionTools().then((module) => module.SelectionTools))

/** Number of selected items, and the actions for them. */
export function SelectionBar(props: SelectionToolsProps) {
  const text = useText('gallery')
  const count = props.items.length
  // stays mounted, so that actions continue when their items are no longer selected
  const [isNeeded, setIsNeeded] = useState(false)
  if (count > 0 && !isNeeded) setIsNeeded(true)
  return (
    <>
      <div role="status" className="sr-only">
        {count > 0 && text('bulk.selected', { count })}
      </div>
      {isNeeded && <SelectionTools {...props} />}
    </>
  )
}
