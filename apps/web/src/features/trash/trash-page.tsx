import { can } from '@mira/shared/access'
import { useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'react-router-dom'
import { configQuery } from '../../lib/config-query.ts'
import { useText } from '../../lib/i18n.ts'
import { useUser } from '../../lib/session.ts'
import type { TrashedKind } from '../../lib/use-move-to-trash.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { TabPanel, Tabs } from '../../ui/tabs.tsx'
import { TrashList } from './trash-list.tsx'

/** /trash: what the person has deleted and can have back, of the gallery and of the conversations. */
export function TrashPage() {
  const text = useText('trash')
  const user = useUser()
  const [parameters, setParameters] = useSearchParams()
  const { data: config } = useQuery(configQuery)
  const kinds = (['items', 'conversations'] as const).filter((kind) => can(user, kind === 'items' ? 'upload' : 'chat'))
  const [first] = kinds
  const asked = parameters.get('kind') === 'conversations' ? 'conversations' : 'items'
  const kind: TrashedKind | undefined = kinds.includes(asked) ? asked : first
  const days = config?.trash.days
  return (
    <>
      <PageHeader
        title={text('title')}
        subtitle={days !== undefined && (days === 0 ? text('off') : text('subtitle', { days }))}
      />
      {kind && (
        <Tabs
          label={text('kinds.label')}
          tabs={kinds.map((value) => ({ value, label: text(`kinds.${value}`) }))}
          value={kind}
          onValueChange={(next) => setParameters(next === 'items' ? {} : { kind: next }, { replace: true })}
        >
          {kinds.map((value) => (
            <TabPanel key={value} value={value} className="mt-4">
              <TrashList kind={value} />
            </TabPanel>
          ))}
        </Tabs>
      )}
    </>
  )
}
