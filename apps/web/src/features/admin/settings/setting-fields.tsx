import { CONNECTION_KEY_MAX_CHARACTERS } from '@mira/shared/constants/limits'
import { useState } from 'react'
import { PasswordField } from '../../../lib/components/password-field.tsx'
import { useText } from '../../../lib/i18n/i18n.ts'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { NumberField } from '../../../ui/number-field.tsx'
import { type NumberName, numberFields } from './settings-form.ts'
import type { SettingsFields } from './use-settings-form.ts'

/** Field for a whole number within bounds; optional fields may be empty for "no limit". */
export function NumberSetting({ fields, name }: { fields: SettingsFields; name: NumberName }) {
  const text = useText('settings-admin')
  return (
    <NumberField
      label={text(`numbers.${name}.label`)}
      hint={text(`numbers.${name}.hint`)}
      value={fields.form[name]}
      error={fields.errorOf(numberFields[name].path)}
      onChange={(event) => fields.change({ [name]: event.target.value })}
    />
  )
}

/**
 * Change of a server's key in a form: the stored key stays until another is entered or the user chooses to delete it.
 */
export function useKeyChange() {
  const [enteredKey, setEnteredKey] = useState('')
  const [isRemoved, setIsRemoved] = useState(false)
  const change = enteredKey.trim() !== '' ? { api_key: enteredKey } : isRemoved ? { api_key: null } : {}
  return { enteredKey, setEnteredKey, isRemoved, setIsRemoved, change }
}

/** A server's key, write-only. */
export function KeyField({ keyChange, isKept, hint, error }: KeyFieldProps) {
  const text = useText('connections')
  return (
    <>
      <PasswordField
        label={text('form.key')}
        hint={hint}
        maxLength={CONNECTION_KEY_MAX_CHARACTERS}
        autoComplete="off"
        value={keyChange.enteredKey}
        error={error}
        onChange={(event) => keyChange.setEnteredKey(event.target.value)}
      />
      {isKept && keyChange.enteredKey === '' && (
        <Checkbox label={text('form.forget')} checked={keyChange.isRemoved} onCheckedChange={keyChange.setIsRemoved} />
      )}
    </>
  )
}

interface KeyFieldProps {
  keyChange: ReturnType<typeof useKeyChange>
  /** True when the server has a stored key. */
  isKept: boolean
  hint: string
  error: string | undefined
}
