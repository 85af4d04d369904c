import { useText } from '../../../lib/i18n/i18n.ts'
import { Checkbox } from '../../../ui/checkbox.tsx'
import type { SessionListProps } from './session-list.ts'

/** Ticks every conversation of the page; a dash says that some are ticked. */
export function SelectAll({ sessions, selectedIds, onSelectedIdsChange, labelHidden }: SelectAllProps) {
  const text = useText('chat-logs')
  const areAllSelected = sessions.length > 0 && selectedIds.size === sessions.length
  return (
    <Checkbox
      label={text('table.selectAll')}
      labelHidden={labelHidden}
      checked={areAllSelected}
      indeterminate={selectedIds.size > 0 && !areAllSelected}
      disabled={sessions.length === 0}
      onCheckedChange={(isChecked) => onSelectedIdsChange(new Set(isChecked ? sessions.map(({ id }) => id) : []))}
    />
  )
}

type SelectAllProps = Pick<SessionListProps, 'sessions' | 'selectedIds' | 'onSelectedIdsChange'> & {
  labelHidden?: boolean
}
