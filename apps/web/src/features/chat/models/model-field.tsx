import { useText } from '../../../lib/i18n/i18n.ts'
import { Select } from '../../../ui/select.tsx'
import { useModels } from './use-models.ts'

/** The value of the choice that leaves it open: no model is called so. */
const USUAL = ''

/** A model for what begins with it; nothing where no model is connected and none was picked. */
export function ModelField({ label, model, onChange }: ModelFieldProps) {
  const text = useText('chat')
  const models = useModels() ?? []
  if (models.length === 0 && model === null) return null
  const options = [
    { value: USUAL, label: text('model.default') },
    ...models.map(({ id, name }) => ({ value: id, label: name })),
  ]
  // one that is away now stays until another one is picked
  if (model !== null && models.every(({ id }) => id !== model)) options.push({ value: model, label: model })
  return (
    <Select
      label={label}
      options={options}
      value={model ?? USUAL}
      onValueChange={(value) => onChange(value === USUAL ? null : value)}
    />
  )
}

type ModelFieldProps = { label: string; model: string | null; onChange: (model: string | null) => void }
