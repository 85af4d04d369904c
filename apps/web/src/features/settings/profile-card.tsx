import { useText } from '../../lib/i18n.ts'
import { useUser } from '../../lib/session.ts'
import { Card, CardHeader } from '../../ui/card.tsx'
import { TextField } from '../../ui/text-field.tsx'

/** Who the person is, as an administrator wrote it down. */
export function ProfileCard() {
  const text = useText('settings')
  const user = useUser()
  return (
    <Card>
      <CardHeader title={text('profile.title')} description={text('profile.text')} />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={text('profile.fullName')}
          value={user.full_name ?? ''}
          placeholder={text('profile.none')}
          readOnly
        />
        <TextField label={text('profile.email')} type="email" value={user.email} readOnly />
      </div>
    </Card>
  )
}
