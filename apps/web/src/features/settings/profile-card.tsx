import { useQuery } from '@tanstack/react-query'
import { fetchStorageUse } from '../../api/account.ts'
import { useFormat } from '../../lib/format.ts'
import { useText } from '../../lib/i18n.ts'
import { LoadFailed } from '../../lib/load-failed.tsx'
import { useUser } from '../../lib/session.ts'
import { Card, CardHeader } from '../../ui/card.tsx'
import { Progress } from '../../ui/progress.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { TextField } from '../../ui/text-field.tsx'

/** From this share of their storage on a person is told what to do about it. */
const NEARLY_FULL = 0.95

/** The user's profile, read-only: administrators edit it. */
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
      <Storage />
    </Card>
  )
}

/** Storage use and quota of the user. */
function Storage() {
  const text = useText('settings')
  const format = useFormat()
  const use = useQuery({ queryKey: ['storage-use'], queryFn: ({ signal }) => fetchStorageUse(signal) })
  if (use.isPending) return <Skeleton className="mt-4 h-6" />
  if (use.isError) return <LoadFailed query={use} />
  const { used_bytes: usedBytes, limit_bytes: limitBytes } = use.data
  const used = format.bytes(usedBytes)
  if (limitBytes === null) {
    return (
      <p className="mt-4 flex justify-between gap-3 text-13">
        <span className="font-medium">{text('profile.storage')}</span>
        <span className="text-12 text-muted tabular-nums">{text('profile.storageUsed', { used })}</span>
      </p>
    )
  }
  const isNearlyFull = usedBytes >= limitBytes * NEARLY_FULL
  return (
    <div className="mt-4">
      <Progress
        label={text('profile.storage')}
        value={(usedBytes / limitBytes) * 100}
        detail={text('profile.storageOf', { used, limit: format.bytes(limitBytes) })}
        tone={isNearlyFull ? 'danger' : 'accent'}
      />
      {isNearlyFull && <p className="mt-2 text-13 text-danger-text">{text('profile.storageFull')}</p>}
    </div>
  )
}
