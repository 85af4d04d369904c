import type { AdminSettingsCard } from '../../lib/admin-settings-path.ts'
import { useText } from '../../lib/i18n.ts'
import { Card, CardHeader } from '../../ui/card.tsx'
import { NumberSetting } from './number-setting.tsx'
import type { SettingsFields } from './use-settings-form.ts'

/** Retention periods. */
export function RetentionCard({ fields }: { fields: SettingsFields }) {
  const text = useText('settings-admin')
  return (
    <Card id={'retention' satisfies AdminSettingsCard} className="scroll-mt-40">
      <CardHeader title={text('retention.title')} description={text('retention.subtitle')} />
      <div className="grid gap-4 sm:grid-cols-2">
        <NumberSetting fields={fields} name="activity_days" />
        <NumberSetting fields={fields} name="agent_run_days" />
        <NumberSetting fields={fields} name="notification_days" />
        <NumberSetting fields={fields} name="automation_run_days" />
        <NumberSetting fields={fields} name="audit_days" />
        <NumberSetting fields={fields} name="trash_days" />
      </div>
    </Card>
  )
}
