import { type Access, can } from '@mira/shared/access'
import { useNavigate } from 'react-router-dom'
import { useText } from '../lib/i18n.ts'
import { paths } from '../lib/paths.ts'
import { useUser } from '../lib/session.ts'
import { Banner } from '../ui/banner.tsx'

/** Says which permission a page needs that somebody was led away from, until they put it away or are given it. */
export function DeniedNotice({ access }: { access: Access }) {
  const text = useText('dashboard')
  const appText = useText('app')
  const user = useUser()
  const navigate = useNavigate()
  if (access === 'public' || access === 'user' || access === 'voice' || can(user, access)) return null
  return (
    <Banner
      tone="warning"
      title={text(`denied.${access}`)}
      dismissLabel={appText('common.close')}
      onDismiss={() => void navigate(paths.dashboard, { replace: true })}
      className="mb-4"
    >
      {text('denied.ask')}
    </Banner>
  )
}
