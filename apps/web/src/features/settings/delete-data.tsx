import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { deleteMyData } from '../../api/account.ts'
import { ApiError } from '../../api/client.ts'
import { clearUserData } from '../../lib/browser-data.ts'
import { useErrorText } from '../../lib/error-text.ts'
import { useFormat } from '../../lib/format.ts'
import { useText } from '../../lib/i18n.ts'
import { PasswordField } from '../../lib/password-field.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { DataLine } from './data-line.tsx'

/** Deletes what the server keeps of the person, after their password, and shows the receipt. */
export function DeleteData() {
  const text = useText('settings')
  const appText = useText('app')
  const errorText = useErrorText()
  const format = useFormat()
  const queryClient = useQueryClient()
  const [isOpen, setIsOpen] = useState(false)
  const [password, setPassword] = useState('')
  const [missing, setMissing] = useState(false)
  const remove = useMutation({
    mutationFn: () => deleteMyData(password),
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
    setMissing(false)
    remove.reset()
  }
  const submit = () => {
    setMissing(password === '')
    if (password !== '') remove.mutate()
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
          <PasswordField
            label={text('data.password')}
            name="password"
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.target.value)}
            error={missing ? text('data.passwordMissing') : isWrong ? errorText(remove.error) : undefined}
          />
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
  const some = lines.filter(([, count]) => count > 0)
  return some.length > 0 ? some : lines.slice(0, 3)
}
