import { ASSISTANT_NAME_MAX_CHARACTERS } from '@mira/shared/constants/limits'
import type { AdminSettingsCard } from '../../lib/admin-settings-path.ts'
import { useText } from '../../lib/i18n.ts'
import { Card, CardHeader } from '../../ui/card.tsx'
import { Switch } from '../../ui/switch.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { NumberSetting } from './number-setting.tsx'
import type { SettingsFields } from './use-settings-form.ts'

/** Name and limits. */
export function GeneralCard({ fields }: { fields: SettingsFields }) {
  const text = useText('settings-admin')
  const { form, change, answer, errorOf } = fields
  return (
    <Card id={'general' satisfies AdminSettingsCard} className="scroll-mt-40">
      <CardHeader title={text('general.title')} />
      <div className="flex flex-col gap-4">
        <TextField
          label={text('general.name')}
          hint={
            fields.isDecided('assistant_name')
              ? text('general.nameDecided', { name: answer.defaults.assistant_name })
              : text('general.nameHint')
          }
          value={form.assistant_name}
          maxLength={ASSISTANT_NAME_MAX_CHARACTERS}
          error={errorOf('assistant_name')}
          onChange={(event) => change({ assistant_name: event.target.value })}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <NumberSetting fields={fields} name="upload_megabytes" />
          <NumberSetting fields={fields} name="storage_megabytes" />
        </div>
        <Switch
          label={text('general.fineTuning')}
          description={text('general.fineTuningHint')}
          checked={form.allows_remote_fine_tuning}
          onCheckedChange={(allows_remote_fine_tuning) => change({ allows_remote_fine_tuning })}
        />
      </div>
    </Card>
  )
}
