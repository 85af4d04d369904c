import type { Check } from '@mira/shared'
import { useMutation } from '@tanstack/react-query'
import { CircleCheck, CircleMinus, CircleX, FlaskConical, type LucideIcon, Pencil, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useSentenceText } from '../../../lib/i18n/sentences.ts'
import { Badge, type BadgeTone } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { useConfirm } from '../../../ui/confirm-dialog.tsx'
import type { ConfirmQuestion } from '../../../ui/confirm-panel.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { Switch } from '../../../ui/switch.tsx'

const looks: Record<Check['state'], { tone: BadgeTone; Icon: LucideIcon }> = {
  ok: { tone: 'success', Icon: CircleCheck },
  off: { tone: 'neutral', Icon: CircleMinus },
  error: { tone: 'danger', Icon: CircleX },
}

/** Reports a failed change of a server. */
export function useChangeErrorToast(name: string): (error: Error) => void {
  const text = useText('connections')
  const errorText = useErrorText()
  return (error) => {
    console.error('The server could not be changed', error)
    showToast({ tone: 'danger', title: text('failed', { name }), description: errorText(error) })
  }
}

/** A connected server with its address, last check and actions. */
export function ConnectedServer<Server extends ShownServer>(props: ConnectedServerProps<Server>) {
  const { server, address, note, onEdit, removal, onChanged, onRemoved, children } = props
  const text = useText('connections')
  const sentenceText = useSentenceText()
  const confirm = useConfirm()
  const { name, check, header_names: headers } = server
  const { tone, Icon } = looks[check.state]
  const onError = useChangeErrorToast(name)
  const test = useMutation({ mutationFn: props.test, onSuccess: onChanged, onError })
  const turn = useMutation({ mutationFn: props.setEnabled, onSuccess: onChanged, onError })
  const remove = useMutation({ mutationFn: props.remove, onSuccess: onRemoved, onError })
  const confirmRemoval = async () => {
    if (await confirm({ ...removal, confirmLabel: text('remove'), tone: 'danger' })) remove.mutate()
  }
  return (
    <li className="flex flex-col gap-2 py-3">
      <div className="flex flex-wrap items-start justify-between gap-x-3 gap-y-1.5">
        <div className="min-w-0 flex-1 basis-48">
          <h3 className="text-14 font-medium break-words">{name}</h3>
          <p className="text-13 break-all text-muted">{address}</p>
        </div>
        <Badge tone={tone} icon={<Icon aria-hidden />}>
          {text(`states.${check.state}`)}
        </Badge>
      </div>
      <p className="flex flex-wrap gap-x-3 text-13 text-muted">
        {note && <span>{note}</span>}
        {server.has_key && <span>{text('hasKey')}</span>}
        {headers.length > 0 && <span className="break-all">{text('headers', { names: headers.join(', ') })}</span>}
      </p>
      {check.reason && <p className="text-13 break-words text-danger-text">{sentenceText(check.reason, check.told)}</p>}
      {children}
      <div className="flex flex-wrap items-center gap-2">
        <Button
          size="sm"
          icon={<FlaskConical aria-hidden />}
          loading={test.isPending}
          aria-label={text('testOne', { name })}
          onClick={() => test.mutate()}
        >
          {text('test')}
        </Button>
        {onEdit && (
          <>
            <Button size="sm" icon={<Pencil aria-hidden />} aria-label={text('editOne', { name })} onClick={onEdit}>
              {text('edit')}
            </Button>
            <Button
              size="sm"
              icon={<Trash2 aria-hidden />}
              loading={remove.isPending}
              aria-label={text('removeOne', { name })}
              onClick={() => void confirmRemoval()}
            >
              {text('remove')}
            </Button>
            <Switch
              label={text('enabled', { name })}
              labelHidden
              className="ml-auto"
              checked={turn.isPending ? turn.variables : server.enabled}
              disabled={turn.isPending}
              onCheckedChange={(enabled) => turn.mutate(enabled)}
            />
          </>
        )}
      </div>
    </li>
  )
}

interface ShownServer {
  name: string
  enabled: boolean
  has_key: boolean
  header_names: string[]
  check: Check
}

interface ConnectedServerProps<Server> {
  server: Server
  address: string
  /** Additional details in a few words. */
  note?: string | false
  test(): Promise<Server>
  setEnabled(enabled: boolean): Promise<Server>
  remove(): Promise<unknown>
  /** Undefined for a server that can't be edited here. */
  onEdit: (() => void) | undefined
  /** Confirmation before removal. */
  removal: Pick<ConfirmQuestion, 'question' | 'detail'>
  onChanged(server: Server): void
  onRemoved(): void
  /** Contents of the server, such as its models or tools. */
  children?: ReactNode
}
