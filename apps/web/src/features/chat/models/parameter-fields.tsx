import { reasoningEfforts } from '@mira/shared/constants/models'
import { ChevronRight } from 'lucide-react'
import { useText } from '../../../lib/i18n.ts'
import { Select } from '../../../ui/select.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { isAllowed, numberParameters, parameterBounds, type TypedParameters } from './typed-parameters.ts'

/** Parameters of the model; empty fields use its server's defaults. */
export function ParameterFields({ typed, onChange }: ParameterFieldsProps) {
  const text = useText('chat')
  const isAnySet = Object.values(typed).some((value) => value !== '')
  return (
    <details open={isAnySet} className="group border-t border-border-float pt-3">
      <summary className="flex touch-target cursor-pointer list-none items-center gap-1.5 rounded-control text-13 font-medium">
        <ChevronRight aria-hidden className="size-4 text-muted transition-transform group-open:rotate-90" />
        {text('parameters.title')}
      </summary>
      <p className="mt-1 text-13 text-muted">{text('parameters.text')}</p>
      <div className="mt-3 grid grid-cols-2 gap-3">
        {numberParameters.map((name) => (
          <TextField
            key={name}
            type="number"
            inputMode="decimal"
            label={text(`parameters.${name}`)}
            hint={text(`parameters.${name}_hint`)}
            error={isAllowed(name, typed[name]) ? undefined : text('parameters.wrong', parameterBounds[name])}
            placeholder={text('parameters.unset')}
            {...parameterBounds[name]}
            value={typed[name]}
            onChange={(event) => onChange({ ...typed, [name]: event.target.value })}
          />
        ))}
        <Select
          label={text('parameters.reasoning_effort')}
          hint={text('parameters.reasoning_effort_hint')}
          options={[
            { value: '', label: text('parameters.unset') },
            ...reasoningEfforts.map((value) => ({ value, label: text(`parameters.efforts.${value}`) })),
          ]}
          value={typed.reasoning_effort}
          onValueChange={(value) => onChange({ ...typed, reasoning_effort: value })}
        />
      </div>
    </details>
  )
}

type ParameterFieldsProps = { typed: TypedParameters; onChange: (typed: TypedParameters) => void }
