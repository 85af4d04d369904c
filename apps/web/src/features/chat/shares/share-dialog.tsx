import type { ChatSessionJson } from '@mira/shared'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../lib/api/client.ts'
import { LocalAddressWarning } from '../../../lib/components/local-address.tsx'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { CopyLine } from '../../../ui/copy-line.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Select } from '../../../ui/select.tsx'
import { ShareList, sharesKey } from './share-list.tsx'

const DAY_MS = 24 * 60 * 60 * 1000
/** Days until a link expires; null for never. */
const lifetimeDays = { week: 7, month: 30, year: 365, ever: null } as const
type Lifetime = keyof typeof lifetimeDays

/** Dialog to share a conversation by a link, with its existing links. */
export function ShareDialog({ session, onClose }: { session: ChatSessionJson; onClose: () => void }) {
  const text = useText('shares')
  const appText = useText('app')
  const errorText = useErrorText()
  const queryClient = useQueryClient()
  const [lifetime, setLifetime] = useState<Lifetime>('month')
  const create = useMutation({
    mutationFn: () => {
      const days = lifetimeDays[lifetime]
      const expiresAt = days === null ? null : new Date(Date.now() + days * DAY_MS).toISOString()
      return call('POST /shares', { json: { kind: 'conversation', id: session.id, expires_at: expiresAt } })
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: sharesKey }),
    onError: (error) => console.error('The conversation could not be shared', error),
  })
  const shareUrl = create.data && new URL(create.data.url, window.location.origin).href

  return (
    <Dialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={text('dialogTitle', { title: session.session_name })}
      description={text('dialogText')}
      closeLabel={appText('common.close')}
      onSubmit={() => create.mutate()}
      footer={
        <>
          {shareUrl === undefined && <Button onClick={onClose}>{appText('common.close')}</Button>}
          <Button type="submit" variant={shareUrl === undefined ? 'primary' : 'secondary'} loading={create.isPending}>
            {text(shareUrl === undefined ? 'make' : 'makeAnother')}
          </Button>
          {shareUrl !== undefined && (
            <Button variant="primary" onClick={onClose}>
              {text('done')}
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {create.error && <Banner tone="error">{errorText(create.error)}</Banner>}
        <Select
          label={text('lifetime')}
          value={lifetime}
          options={(Object.keys(lifetimeDays) as Lifetime[]).map((value) => ({
            value,
            label: text(`lifetimes.${value}`),
          }))}
          onValueChange={setLifetime}
        />
        {shareUrl !== undefined && (
          <div role="status" className="flex flex-col gap-3">
            <CopyLine text={shareUrl} label={text('copy')} copiedLabel={text('copied')} />
            <LocalAddressWarning address={shareUrl} />
          </div>
        )}
        <ShareList subjectId={session.id} label={text('linksOfThis')} />
      </div>
    </Dialog>
  )
}
