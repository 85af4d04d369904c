import { useText } from '../../lib/i18n.ts'
import { Card, CardHeader } from '../../ui/card.tsx'
import { Switch } from '../../ui/switch.tsx'
import { PushSwitch } from './push-switch.tsx'
import { ShareAnswers } from './share-answers.tsx'
import type { SettingsDraft } from './use-settings-draft.ts'

const names = ['notifications', 'enterSends', 'autoSave', 'dataSaver', 'analytics'] as const

/** Switches for automatic behaviour, each with an explanation. */
export function PreferencesCard({ draft: { settings, change } }: { draft: SettingsDraft }) {
  const text = useText('settings')
  return (
    <Card id="preferences" className="scroll-mt-40">
      <CardHeader title={text('preferences.title')} className="mb-2" />
      <div className="flex flex-col divide-y divide-border">
        {names.map((name) => (
          <Switch
            key={name}
            label={text(`preferences.${name}`)}
            description={text(`preferences.${name}Text`)}
            checked={settings[name]}
            onCheckedChange={(isChecked) => change({ [name]: isChecked })}
            className="py-3 last:pb-0"
          />
        ))}
        <PushSwitch className="py-3" />
        <ShareAnswers className="pt-3" />
      </div>
    </Card>
  )
}
