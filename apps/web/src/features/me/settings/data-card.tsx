import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Download, Eraser, Trash2 } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { ApiError, call } from '../../../lib/api/client.ts'
import { clearBrowserData, clearUserData } from '../../../lib/browser/browser-data.ts'
import { PasswordField } from '../../../lib/components/password-field.tsx'
import { useFormat } from '../../../lib/format/format.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useUserEvents } from '../../../lib/loading/event-stream.ts'
import { useUser } from '../../../lib/session/session.ts'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card, CardHeader } from '../../../ui/card.tsx'
import { useConfirm } from '../../../ui/confirm-dialog.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Progress } from '../../../ui/progress.tsx'
import { showToast } from '../../../ui/show-toast.ts'

/** Button with an explanation. */
function DataLine({ note, children }: { note: ReactNode; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-3 py-3.5 last:pb-0">
      <div className="min-w-48 flex-1 text-13 text-pretty text-muted">{note}</div>
      {children}
    </div>
  )
}

/** Deletes the user's data on the server, after asking for the password if the user has one, and shows the receipt. */
function DeleteData() {
  const text = useText('settings')
  const appText = useText('app')
  const errorText = useErrorText()
  const format = useFormat()
  const queryClient = useQueryClient()
  const { has_password: hasPassword } = useUser()
  const [isOpen, setIsOpen] = useState(false)
  const [password, setPassword] = useState('')
  const [isPasswordMissing, setIsPasswordMissing] = useState(false)
  const remove = useMutation({
    // a large account takes minutes
    mutationFn: () =>
      call('DELETE /me/data', { json: hasPassword ? { password } : {}, timeoutMs: null }).then(
        ({ deleted }) => deleted,
      ),
    onSuccess: async () => {
      await clearUserData({ keepsUser: true })
      await queryClient.invalidateQueries()
    },
    onError: (error) => console.error('The data could not be deleted', error),
  })
  const isWrong = remove.error instanceof ApiError && remove.error.code === 'wrong_password'

  const open = (next: boolean) => {
    if (remove.isPending) return
    setIsOpen(next)
    setPassword('')
    setIsPasswordMissing(false)
    remove.reset()
  }
  const submit = () => {
    const isMissing = hasPassword && password === ''
    setIsPasswordMissing(isMissing)
    if (!isMissing) remove.mutate()
  }
  const receipt = remove.data

  return (
    <DataLine note={<p>{text('data.deleteText')}</p>}>
      <Button variant="danger" icon={<Trash2 aria-hidden />} onClick={() => open(true)}>
        {text('data.delete')}
      </Button>
      {receipt === undefined ? (
        <Dialog
          open={isOpen}
          onOpenChange={open}
          onSubmit={submit}
          title={text('data.deleteQuestion')}
          description={text('data.deleteDetail')}
          closeLabel={appText('common.close')}
          footer={
            <>
              <Button onClick={() => open(false)} disabled={remove.isPending}>
                {appText('common.cancel')}
              </Button>
              <Button type="submit" variant="danger" loading={remove.isPending}>
                {text('data.delete')}
              </Button>
            </>
          }
        >
          {remove.isError && !isWrong && (
            <Banner tone="error" className="mb-4">
              {errorText(remove.error)}
            </Banner>
          )}
          {hasPassword && (
            <PasswordField
              label={text('data.password')}
              name="password"
              autoComplete="current-password"
              value={password}
              onChange={(event) => setPassword(event.target.value)}
              error={isPasswordMissing ? text('data.passwordMissing') : isWrong ? errorText(remove.error) : undefined}
            />
          )}
        </Dialog>
      ) : (
        <Dialog
          open={isOpen}
          onOpenChange={open}
          title={text('data.deleted')}
          closeLabel={appText('common.close')}
          footer={
            <Button variant="primary" onClick={() => open(false)}>
              {text('data.done')}
            </Button>
          }
        >
          <dl className="grid grid-cols-[1fr_auto] gap-x-6 gap-y-1.5 text-14">
            {receiptLines(receipt).map(([name, count]) => (
              <div key={name} className="contents">
                <dt className="text-muted">{text(`data.receipt.${name}`)}</dt>
                <dd className="text-right tabular-nums">
                  {name === 'bytes' ? format.bytes(count) : format.number(count)}
                </dd>
              </div>
            ))}
          </dl>
        </Dialog>
      )}
    </DataLine>
  )
}

const receiptNames = [
  'chat_sessions',
  'messages',
  'media_items',
  'moments',
  'effect_images',
  'reminders',
  'agent_runs',
  'activities',
  'files',
  'bytes',
] as const

/** Non-zero counts of the deleted data; the first three when all are zero. */
function receiptLines(receipt: Record<(typeof receiptNames)[number], number>) {
  const lines = receiptNames.map((name) => [name, receipt[name]] as const)
  const nonZeroLines = lines.filter(([, count]) => count > 0)
  return nonZeroLines.length > 0 ? nonZeroLines : lines.slice(0, 3)
}

interface ExportProgress {
  doneCount: number
  total: number
}

/** Downloads all the user's data as one file, which the server streams. */
function ExportData() {
  const text = useText('settings')
  const errorText = useErrorText()
  const [running, setRunning] = useState<ExportProgress | null>(null)
  const exportId = useRef<string>(undefined)
  const prepare = useMutation({
    mutationFn: () => call('POST /me/export'),
    onSuccess: ({ export_id, url }) => {
      exportId.current = export_id
      setRunning({ doneCount: 0, total: 0 })
      const link = document.createElement('a')
      link.href = url
      link.download = ''
      link.click()
    },
    onError: (error) => {
      console.error('Failed to start the export', error)
      showToast({ tone: 'danger', title: text('data.exportFailed'), description: errorText(error) })
    },
  })

  useUserEvents((event) => {
    // The event of the export's end may have been missed; if the export is still running, its next event shows it again.
    if (event.type === 'events.resumed') setRunning(null)
    if (event.type !== 'export.progress' || event.export_id !== exportId.current) return
    setRunning(event.is_finished || event.is_cancelled ? null : { doneCount: event.done, total: event.total })
    if (event.is_finished) showToast({ tone: 'success', title: text('data.exported') })
  })

  return (
    <DataLine
      note={
        <>
          <p>{text('data.exportText')}</p>
          {running !== null && (
            <Progress
              className="mt-3 max-w-96"
              label={text('data.exporting')}
              value={running.total === 0 ? null : (running.doneCount / running.total) * 100}
              detail={running.total === 0 ? undefined : text('data.exportedOf', { ...running })}
            />
          )}
        </>
      }
    >
      <Button icon={<Download aria-hidden />} loading={prepare.isPending} onClick={() => prepare.mutate()}>
        {text('data.export')}
      </Button>
    </DataLine>
  )
}

/** Export, clearing and deletion of the user's data. */
export function DataCard() {
  const text = useText('settings')
  const confirm = useConfirm()

  const clear = async () => {
    const isConfirmed = await confirm({
      question: text('data.confirm'),
      detail: text('data.clearText'),
      confirmLabel: text('data.clear'),
      tone: 'danger',
    })
    if (!isConfirmed) return
    if (await clearBrowserData()) window.location.reload()
    else showToast({ tone: 'danger', title: text('data.failed'), description: text('data.failedText') })
  }

  return (
    <Card id="data" className="scroll-mt-40">
      <CardHeader title={text('data.title')} className="mb-2" />
      <div className="flex flex-col divide-y divide-border">
        <ExportData />
        <DataLine note={<p>{text('data.clearText')}</p>}>
          <Button icon={<Eraser aria-hidden />} onClick={() => void clear()}>
            {text('data.clear')}
          </Button>
        </DataLine>
      </div>
      <div className="mt-10 rounded-card border border-danger/40 px-4 pb-3.5">
        <DeleteData />
      </div>
    </Card>
  )
}
