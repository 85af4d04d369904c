import type { BackupJson } from '@mira/shared'
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import {
  CircleCheck,
  CircleX,
  Clock,
  DatabaseBackup,
  Download,
  type LucideIcon,
  ShieldCheck,
  Trash2,
  TriangleAlert,
} from 'lucide-react'
import { call } from '../../../lib/api/client.ts'
import { RelativeTime } from '../../../lib/components/relative-time.tsx'
import { useFormat } from '../../../lib/format/format.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useSentenceText } from '../../../lib/i18n/sentences.ts'
import { useRemoval } from '../../../lib/loading/use-move-to-trash.ts'
import { Badge, type BadgeTone } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Progress } from '../../../ui/progress.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { needsConfirmation, useRecentSignIn } from '../users/sign-in/confirm-password.tsx'

const POLL_MS = 1_000
/** Polling interval while a completed backup waits for its trial restore, which takes minutes. */
const TRIAL_RESTORE_POLL_MS = 10_000

export const isInProgress = ({ state }: BackupJson) => state === 'waiting' || state === 'running'

/** Backups of the instance, polled while one is changing. */
export const backupsQuery = queryOptions({
  queryKey: ['admin-backups'],
  queryFn: ({ signal }) => call('GET /admin/backups', { signal }),
  refetchInterval: ({ state }) => {
    const backups = state.data?.backups ?? []
    if (backups.some(isInProgress)) return POLL_MS
    const isTrialRestoreAwaited = backups.some(
      ({ state, proven_at, unproven }) => state === 'completed' && !proven_at && !unproven,
    )
    return isTrialRestoreAwaited ? TRIAL_RESTORE_POLL_MS : false
  },
})

const looks: Record<BackupJson['state'] | 'incomplete', { tone: BadgeTone; Icon: LucideIcon }> = {
  waiting: { tone: 'neutral', Icon: Clock },
  running: { tone: 'accent', Icon: DatabaseBackup },
  completed: { tone: 'success', Icon: CircleCheck },
  incomplete: { tone: 'warning', Icon: TriangleAlert },
  failed: { tone: 'danger', Icon: CircleX },
}

/** A backup with its state, the result of its trial restore, and actions. */
export function BackupLine({ backup }: { backup: BackupJson }) {
  const text = useText('settings-admin')
  const format = useFormat()
  const errorText = useErrorText()
  const sentenceText = useSentenceText()
  const queryClient = useQueryClient()
  const look = backup.problems > 0 ? 'incomplete' : backup.state
  const { tone, Icon } = looks[look]
  const remove = useRemoval({
    question: text('backups.deleteQuestion', { name: backup.name }),
    detail: text('backups.deleteDetail'),
    confirmLabel: text('backups.delete'),
    remove: () => call('DELETE /admin/backups/:id', { params: { id: backup.id } }),
    failureTitle: text('backups.deleteFailed'),
    queryKey: backupsQuery.queryKey,
  })
  const { runConfirmed, dialog } = useRecentSignIn()
  const download = useMutation({
    mutationFn: (password: string | undefined) =>
      call('POST /admin/backups/:id/ticket', { params: { id: backup.id }, json: { current_password: password } }),
    onSuccess: ({ url }) => {
      const link = document.createElement('a')
      link.href = url
      link.download = backup.name
      link.click()
    },
    onError: (error) => {
      console.error('The backup could not be downloaded', error)
      if (needsConfirmation(error)) return
      showToast({ tone: 'danger', title: text('backups.downloadFailed'), description: errorText(error) })
    },
  })
  const prove = useMutation({
    mutationFn: () => call('POST /admin/backups/:id/proof', { params: { id: backup.id } }),
    onSuccess: () => showToast({ title: text('backups.proof.begun') }),
    onError: (error) => {
      console.error('Failed to start the trial restore', error)
      showToast({ tone: 'danger', title: text('backups.proof.failed'), description: errorText(error) })
    },
    onSettled: () => queryClient.invalidateQueries(backupsQuery),
  })
  return (
    <li className="flex flex-col gap-2 py-3">
      <div className="flex flex-wrap items-start justify-between gap-x-3 gap-y-1.5">
        <div className="min-w-0">
          <p className="text-14 font-medium break-all">{backup.name}</p>
          <p className="flex flex-wrap gap-x-3 text-13 text-muted">
            <RelativeTime moment={backup.created_at} />
            {backup.size_bytes !== null && <span className="tabular-nums">{format.bytes(backup.size_bytes)}</span>}
            <span>{text(`backups.reasons.${backup.reason}`)}</span>
          </p>
        </div>
        <Badge tone={tone} icon={<Icon aria-hidden />}>
          {text(`backups.states.${look}`)}
        </Badge>
      </div>
      {backup.error !== null && (
        <p className="text-13 wrap-anywhere text-danger-text">{sentenceText(backup.error, backup.told)}</p>
      )}
      {backup.problems > 0 && <p className="text-13">{text('backups.problems', { count: backup.problems })}</p>}
      {backup.state === 'completed' && <TrialRestoreState backup={backup} />}
      {isInProgress(backup) ? (
        <Progress label={text('backups.progress')} labelHidden value={backup.progress} />
      ) : (
        <div className="flex flex-wrap gap-2">
          {backup.state === 'completed' && (
            <Button
              size="sm"
              icon={<Download aria-hidden />}
              loading={download.isPending}
              aria-label={text('backups.downloadOne', { name: backup.name })}
              onClick={() => {
                // the mutation has reported the error
                void runConfirmed(async (password) => void (await download.mutateAsync(password))).catch(
                  () => undefined,
                )
              }}
            >
              {text('backups.download')}
            </Button>
          )}
          {backup.state === 'completed' && (
            <Button
              size="sm"
              icon={<ShieldCheck aria-hidden />}
              loading={prove.isPending}
              aria-label={text('backups.proof.checkOne', { name: backup.name })}
              onClick={() => prove.mutate()}
            >
              {text('backups.proof.check')}
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
      {dialog}
    </li>
  )
}

function TrialRestoreState({ backup: { proven_at: provenAt, unproven } }: { backup: BackupJson }) {
  const text = useText('settings-admin')
  const format = useFormat()
  const sentenceText = useSentenceText()
  if (unproven !== null) {
    return <p className="text-13 wrap-anywhere text-danger-text">{sentenceText(unproven.reason, unproven.told)}</p>
  }
  return (
    <p className="text-13 text-muted">
      {provenAt === null
        ? text('backups.proof.waiting')
        : text('backups.proof.proven', { when: format.dateTime(provenAt) })}
    </p>
  )
}
