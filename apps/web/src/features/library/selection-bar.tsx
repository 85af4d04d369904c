import { useState } from 'react'
import { useText } from '../../lib/i18n/i18n.ts'
import { lazyPart } from '../../ui/lazy-part.tsx'
import type { SelectionToolsProps } from './selection-tools.tsx'

/** Loads the tools apart from the library: most visits select nothing. */
export const loadSelectionTools = () => import('./selection-tools.tsx')
const SelectionTools = lazyPart(() => loadSelectionTools().then((module) => module.SelectionTools))

/** Number of selected items, and the actions for them. */
export function SelectionBar(props: SelectionToolsProps) {
  const text = useText('gallery')
  const count = props.items.length
  // stays mounted: actions continue when their items are no longer selected
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
