import type { AccessItemJson, AccessItemRef } from '@mira/shared'
import { refOf } from '../../api/access-items.ts'
import { useText } from '../../lib/i18n.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { useAccessItems, useAccessItemText } from './access-items.ts'

/** Kinds that every password change ends anyway. */
const endedAnyway: readonly AccessItemJson['kind'][] = ['session', 'api_token', 'program']

/** Things with access that outlive a password change, to be ticked to end with it. */
export function AccessChoice({ value, onChange }: AccessChoiceProps) {
  const text = useText('users')
  const nameOf = useAccessItemText()
  const { items = [] } = useAccessItems()
  const others = items.filter(({ kind }) => !endedAnyway.includes(kind))
  if (others.length === 0) return null
  const isChosen = (item: AccessItemJson) => value.some(({ id }) => id === item.id)
  return (
    <fieldset className="flex max-h-80 flex-col items-start gap-2 overflow-y-auto">
      <legend className="mb-2 text-13 font-medium">{text('access.alsoEnd')}</legend>
      <Checkbox
        label={text('access.alsoEndAll')}
        checked={others.every(isChosen)}
        indeterminate={others.some(isChosen) && !others.every(isChosen)}
        onCheckedChange={(isAll) => onChange(isAll ? others.map(refOf) : [])}
      />
      {others.map((item) => (
        <Checkbox
          key={item.id}
          label={nameOf(item)}
          checked={isChosen(item)}
          onCheckedChange={(isOn) =>
            onChange(isOn ? [...value, refOf(item)] : value.filter(({ id }) => id !== item.id))
          }
        />
      ))}
    </fieldset>
  )
}

type AccessChoiceProps = { value: readonly AccessItemRef[]; onChange: (value: readonly AccessItemRef[]) => void }
