import type { BackupsAnswerJson } from '@mira/shared'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { DatabaseBackup } from 'lucide-react'
import { beginBackup } from '../../api/backups.ts'
import type { AdminSettingsCard } from '../../lib/admin-settings-path.ts'
import { useErrorText } from '../../lib/error-text.ts'
import { useFormat } from '../../lib/format.ts'
import { useText } from '../../lib/i18n.ts'
import { LoadFailed } from '../../lib/load-failed.tsx'
import { useSentenceText } from '../../lib/sentences.ts'
import { Button } from '../../ui/button.tsx'
import { Card, CardHeader } from '../../ui/card.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { LoadingRegion, Skeleton } from '../../ui/skeleton.tsx'
import { BackupLine } from './backup-line.tsx'
import { BackupScheduleFields } from './backup-schedule.tsx'
import { backupsQuery, isBeingMade } from './backups-query.ts'
import type { SettingsFields } from './use-settings-form.ts'

/** Archives of everything, to be restored on this machine or another one. */
export function BackupsCard({ fields }: { fields: SettingsFields }) {
  const text = useText('settings-admin')
  const appText = useText('app')
  const errorText = useErrorText()
  const format = useFormat()
  const sentenceText = useSentenceText()
  const queryClient = useQueryClient()
  const query = useQuery(backupsQuery)
  const { data } = query
  const begin = useMutation({
    mutationFn: beginBackup,
    onSuccess: (begun) =>
      queryClient.setQueryData(
        backupsQuery.queryKey,
        (known: BackupsAnswerJson | undefined) => known && { ...known, backups: [begun, ...known.backups] },
      ),
    onError: (error) => {
      console.error('The backup could not be begun', error)
      showToast({ tone: 'danger', title: text('backups.beginFailed'), description: errorText(error) })
    },
    onSettled: () => queryClient.invalidateQueries(backupsQuery),
  })
  return (
    <Card id={'backups' satisfies AdminSettingsCard} className="scroll-mt-40">
      <CardHeader title={text('backups.title')} description={text('backups.subtitle')} />
      <BackupScheduleFields fields={fields} />
      {!data && query.isError && <LoadFailed query={query} />}
      {!data && !query.isError && (
        <LoadingRegion label={appText('common.loading')}>
          <Skeleton className="h-24" />
        </LoadingRegion>
      )}
      {data && (
        <>
          <Button
            icon={<DatabaseBackup aria-hidden />}
            loading={begin.isPending}
            disabled={data.backups.some(isBeingMade)}
            onClick={() => begin.mutate()}
          >
            {text('backups.begin')}
          </Button>
          {data.backups.length === 0 ? (
            <p className="mt-3 text-13 text-muted">{text('backups.none')}</p>
          ) : (
            <ul className="mt-1 flex flex-col divide-y divide-border">
              {data.backups.map((backup) => (
                <BackupLine key={backup.id} backup={backup} />
              ))}
            </ul>
          )}
          {data.next_at !== null && (
            <p className="mt-3 text-13 text-muted">
              {text('backups.schedule.next', { when: format.dateTime(data.next_at) })}
            </p>
          )}
          <p className="mt-1 text-13 text-muted">
            {data.last_proven_at === null
              ? text('backups.proof.never')
              : text('backups.proof.last', { when: format.dateTime(data.last_proven_at) })}
          </p>
          {data.offsite && (
            <p className="mt-1 text-13 text-muted">
              {data.offsite.last_at === null
                ? text('backups.offsite.never')
                : text('backups.offsite.last', { when: format.dateTime(data.offsite.last_at) })}
            </p>
          )}
          {data.offsite?.failed && (
            <p className="mt-1 text-13 wrap-anywhere text-danger-text">
              {sentenceText(data.offsite.failed.reason, data.offsite.failed.told)}
            </p>
          )}
          <p className="mt-1 text-13 text-muted">{text('backups.files.checked', { checked: data.files.checked })}</p>
          {data.files.damaged > 0 && (
            <p className="mt-1 text-13 text-danger-text">
              {text('backups.files.damaged', { damaged: data.files.damaged })}
            </p>
          )}
          <p className="mt-1 text-13 text-muted">
            {text(data.encrypted ? 'backups.schedule.sealed' : 'backups.schedule.open')}
          </p>
          <p className="mt-1 text-13 wrap-anywhere text-muted">
            {text('backups.place', { directory: data.directory, count: data.kept })}
          </p>
          <p className="mt-1 text-13 text-muted">
            {text('backups.restore')} <code className="wrap-anywhere">npm run restore -- FILE.zip</code>
          </p>
        </>
      )}
    </Card>
  )
}
