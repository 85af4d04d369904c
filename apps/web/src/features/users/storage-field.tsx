import type { UserJson } from '@mira/shared'
import { useFormat } from '../../lib/format.ts'
import { useText } from '../../lib/i18n.ts'
import { LoadFailed } from '../../lib/load-failed.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { useUserStorage } from './use-users.ts'
import { storageMegabytes } from './user-form.ts'

const MEBIBYTE = 1024 * 1024

/** Storage quota of an account, with its current use. */
export function StorageField({ user, ...field }: StorageFieldProps & { user: UserJson | null }) {
  const text = useText('users')
  if (user) return <StorageFieldOf user={user} {...field} />
  return <MegabytesField {...field} hint={text('form.storageHintNew')} />
}

function StorageFieldOf({ user, value, ...field }: StorageFieldProps & { user: UserJson }) {
  const text = useText('users')
  const format = useFormat()
  const storage = useUserStorage(user)
  if (storage.isPending) return <Skeleton className="h-20" />
  if (storage.isError) return <LoadFailed query={storage} />
  const { used_bytes: used, own_limit_bytes: own, default_limit_bytes: standard } = storage.data
  const hint = text('form.storageHint', {
    used: format.bytes(used),
    limit: standard === null ? text('form.storageUnlimited') : format.bytes(standard),
  })
  const stored = own === null ? '' : String(Math.round(own / MEBIBYTE))
  return <MegabytesField {...field} value={value ?? stored} hint={hint} />
}

function MegabytesField({ value, hint, error, onChange }: StorageFieldProps & { hint: string }) {
  const text = useText('users')
  return (
    <TextField
      label={text('form.storage')}
      name="storage_megabytes"
      hint={hint}
      type="number"
      inputMode="numeric"
      step={1}
      {...storageMegabytes}
      value={value ?? ''}
      error={error}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

type StorageFieldProps = {
  /** Megabytes as typed; null while nobody has. */
  value: string | null
  error: string | undefined
  onChange: (value: string) => void
}
