import type { BackupJson, BackupsAnswerJson } from '@mira/shared'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleCheck, CircleX, Clock, DatabaseBackup, Download, type LucideIcon, Trash2 } from 'lucide-react'
import { beginBackup, deleteBackup, fetchBackups, prepareBackupDownload } from '../../api/backups.ts'
import type { AdminSettingsCard } from '../../lib/admin-settings-path.ts'
import { useErrorText } from '../../lib/error-text.ts'
import { useFormat } from '../../lib/format.ts'
import { useText } from '../../lib/i18n.ts'
import { LoadFailed } from '../../lib/load-failed.tsx'
import { RelativeTime } from '../../lib/relative-time.tsx'
import { useSentenceText } from '../../lib/sentences.ts'
import { useRemoval } from '../../lib/use-removal.ts'
import { Badge, type BadgeTone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, CardHeader } from '../../ui/card.tsx'
import { Progress } from '../../ui/progress.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { LoadingRegion, Skeleton } from '../../ui/skeleton.tsx'
import { BackupScheduleFields } from './backup-schedule.tsx'
import type { SettingsFields } from './use-settings-form.ts'

/** How often is asked how far a backup is. */
const FOLLOW_MS = 1_000

const isBeingMade = ({ state }: BackupJson) => state === 'waiting' || state === 'running'

const backupsQuery = queryOptions({
  queryKey: ['admin-backups'],
  queryFn: ({ signal }) => fetchBackups(signal),
  refetchInterval: ({ state }) => (state.data?.backups.some(isBeingMade) ? FOLLOW_MS : false),
})

const looks: Record<BackupJson['state'], { tone: BadgeTone; Icon: LucideIcon }> = {
  waiting: { tone: 'neutral', Icon: Clock },
  running: { tone: 'accent', Icon: DatabaseBackup },
  completed: { tone: 'success', Icon: CircleCheck },
  failed: { tone: 'danger', Icon: CircleX },
}

/** Archives of everything, to be restored on this machine or another one. */
export function BackupsCard({ fields }: { fields: SettingsFields }) {
  const text = useText('settings-admin')
  const appText = useText('app')
  const errorText = useErrorText()
  const format = useFormat()
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

function BackupLine({ backup }: { backup: BackupJson }) {
  const text = useText('settings-admin')
  const format = useFormat()
  const errorText = useErrorText()
  const sentenceText = useSentenceText()
  const { tone, Icon } = looks[backup.state]
  const remove = useRemoval({
    question: text('backups.deleteQuestion', { name: backup.name }),
    detail: text('backups.deleteDetail'),
    confirmLabel: text('backups.delete'),
    remove: () => deleteBackup(backup.id),
    failed: text('backups.deleteFailed'),
    queryKey: backupsQuery.queryKey,
  })
  const download = useMutation({
    mutationFn: () => prepareBackupDownload(backup.id),
    onSuccess: ({ url }) => {
      const link = document.createElement('a')
      link.href = url
      link.download = backup.name
      link.click()
    },
    onError: (error) => {
      console.error('The backup could not be downloaded', error)
      showToast({ tone: 'danger', title: text('backups.downloadFailed'), description: errorText(error) })
    },
  })
  return (
    <li className="flex flex-col gap-2 py-3">
      <div className="flex flex-wrap items-start justify-between gap-x-3 gap-y-1.5">
        <div className="min-w-0">
          <p className="text-14 font-medium break-all">{backup.name}</p>
          <p className="flex flex-wrap gap-x-3 text-13 text-muted">
            <RelativeTime moment={backup.created_at} />
            {backup.size_bytes !== null && <span className="tabular-nums">{format.bytes(backup.size_bytes)}</span>}
          </p>
        </div>
        <Badge tone={tone} icon={<Icon aria-hidden />}>
          {text(`backups.states.${backup.state}`)}
        </Badge>
      </div>
      {backup.error !== null && (
        <p className="text-13 wrap-anywhere text-danger-text">{sentenceText(backup.error, backup.told)}</p>
      )}
      {isBeingMade(backup) ? (
        <Progress label={text('backups.progress')} labelHidden value={backup.progress} />
      ) : (
        <div className="flex flex-wrap gap-2">
          {backup.state === 'completed' && (
            <Button
              size="sm"
              icon={<Download aria-hidden />}
              loading={download.isPending}
              aria-label={text('backups.downloadOne', { name: backup.name })}
              onClick={() => download.mutate()}
            >
              {text('backups.download')}
            </Button>
          )}
          <Button
            size="sm"
            icon={<Trash2 aria-hidden />}
            loading={remove.isPending}
            aria-label={text('backups.deleteOne', { name: backup.name })}
            onClick={remove.ask}
          >
            {text('backups.delete')}
          </Button>
        </div>
      )}
    </li>
  )
}
