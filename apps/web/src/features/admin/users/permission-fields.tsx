import { type PermissionFlag, permissionFlags } from '@mira/shared/access'
import { useText } from '../../../lib/i18n/i18n.ts'
import { FieldGroup } from '../../../ui/field-group.tsx'
import { Switch } from '../../../ui/switch.tsx'

/** A user's permission flags in display order; their texts are `permissions.<flag>`. */
export const permissions = Object.keys(permissionFlags) as PermissionFlag[]

/** Switches for an account's permissions. */
export function PermissionFields({ values, onChange }: PermissionFieldsProps) {
  const text = useText('users')
  return (
    <FieldGroup legend={text('permissions.label')}>
      {permissions.map((permission) => (
        <Switch
          key={permission}
          label={text(`permissions.${permission}`)}
          checked={values[permission]}
          onCheckedChange={(isOn) => onChange({ [permission]: isOn })}
        />
      ))}
    </FieldGroup>
  )
}

type PermissionFieldsProps = {
  values: Record<PermissionFlag, boolean>
  onChange: (change: Partial<Record<PermissionFlag, boolean>>) => void
}
