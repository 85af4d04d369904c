import { useText } from '../../../lib/i18n/i18n.ts'
import { Card, CardHeader } from '../../../ui/card.tsx'
import { ShareList } from './share-list.tsx'

/** Every link that the signed-in person gave to others. */
export function SharesCard() {
  const text = useText('shares')
  return (
    <Card>
      <CardHeader title={text('title')} description={text('subtitle')} />
      <ShareList label={text('title')} />
    </Card>
  )
}
