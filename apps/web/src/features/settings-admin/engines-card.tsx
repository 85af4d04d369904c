import { capabilities } from '@mira/shared/constants/capabilities'
import type { AdminSettingsCard } from '../../lib/admin-settings-path.ts'
import { useText } from '../../lib/i18n.ts'
import { Card, CardHeader } from '../../ui/card.tsx'
import { EngineRow } from './engine-row.tsx'
import type { SettingsFields } from './use-settings-form.ts'

/** Engine and model for each capability. */
export function EnginesCard({ fields }: { fields: SettingsFields }) {
  const text = useText('settings-admin')
  return (
    <Card id={'engines' satisfies AdminSettingsCard} className="scroll-mt-40">
      <CardHeader title={text('engines.title')} description={text('engines.subtitle')} />
      <ul className="-my-4 flex flex-col divide-y divide-border">
        {capabilities.map((capability) => (
          <EngineRow key={capability} capability={capability} fields={fields} />
        ))}
      </ul>
    </Card>
  )
}
