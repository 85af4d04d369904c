import type { HookJson } from '@mira/shared'
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { Plus, ScrollText, Trash2, Webhook } from 'lucide-react'
import { useState } from 'react'
import { deleteHook, testHook } from '../../api/webhooks.ts'
import { useErrorText } from '../../lib/error-text.ts'
import { useText } from '../../lib/i18n.ts'
import { ListCard } from '../../lib/list-card.tsx'
import { RelativeTime } from '../../lib/relative-time.tsx'
import { useRemoval } from '../../lib/use-removal.ts'
import { Button } from '../../ui/button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { DeliveriesDialog } from './deliveries-dialog.tsx'
import { DeliveryState, useProblemText } from './delivery-state.tsx'
import { NewWebhookDialog } from './new-webhook-dialog.tsx'
import { hooksKey, hooksQuery } from './webhook-queries.ts'
import { hookTitle } from './webhook-title.ts'

/** The addresses that are told what happens to the signed-in user's things: add one, try it, see its log, delete it. */
export function WebhooksCard() {
  const text = useText('webhooks')
  const query = useInfiniteQuery(hooksQuery)
  const [opening, setOpening] = useState(0)
  const [isOpen, setIsOpen] = useState(false)
  const [shown, setShown] = useState<HookJson | null>(null)
  const all = query.data?.pages.flatMap(({ hooks }) => hooks)
  return (
    <>
      <ListCard
        title={text('title')}
        description={text('subtitle')}
        add={{
          icon: <Plus aria-hidden />,
          children: text('add'),
          onClick: () => {
            setOpening(opening + 1)
            setIsOpen(true)
          },
        }}
        query={query}
        items={all}
        empty={{ icon: <Webhook />, title: text('empty'), text: text('emptyHint') }}
      >
        {(hook) => <Row key={hook.id} hook={hook} onShowLog={() => setShown(hook)} />}
      </ListCard>
      <NewWebhookDialog key={opening} open={isOpen} onOpenChange={setIsOpen} />
      {shown && <DeliveriesDialog key={shown.id} hook={shown} onClose={() => setShown(null)} />}
    </>
  )
}

function Row({ hook, onShowLog }: { hook: HookJson; onShowLog: () => void }) {
  const text = useText('webhooks')
  const problemText = useProblemText()
  const { trial, removal } = useHookActions(hook)
  const name = hookTitle(hook)
  const last = hook.last_delivery
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-3">
      <div className="min-w-48 flex-1">
        <p className="truncate text-14 font-medium">{name}</p>
        <p className="truncate font-mono text-12 text-muted" title={hook.url}>
          {hook.url}
        </p>
        <p className="text-13 text-muted">{hook.events.map((event) => text(`event.${event}`)).join(', ')}</p>
        <div className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-13 text-muted">
          {last ? (
            <>
              <DeliveryState state={last.state} />
              <RelativeTime moment={last.created_at} />
              {last.problem && <span>{problemText(last)}</span>}
            </>
          ) : (
            text('nothingSent')
          )}
        </div>
      </div>
      <div className="flex items-center gap-1">
        <Button
          size="sm"
          loading={trial.isPending}
          aria-label={text('testOne', { name })}
          onClick={() => trial.mutate()}
        >
          {text('test')}
        </Button>
        <IconButton size="sm" name={text('logOf', { name })} icon={<ScrollText aria-hidden />} onClick={onShowLog} />
        <IconButton
          size="sm"
          variant="danger"
          name={text('deleteOne', { name })}
          icon={<Trash2 aria-hidden />}
          loading={removal.isPending}
          onClick={removal.ask}
        />
      </div>
    </li>
  )
}

function useHookActions(hook: HookJson) {
  const text = useText('webhooks')
  const errorText = useErrorText()
  const problemText = useProblemText()
  const queryClient = useQueryClient()
  const name = hookTitle(hook)
  const trial = useMutation({
    mutationFn: () => testHook(hook.id),
    onSuccess: (delivery) => {
      const isThere = delivery.state === 'delivered'
      showToast({
        tone: isThere ? 'success' : 'danger',
        title: text(isThere ? 'testArrived' : 'testFailed', { name }),
        description: problemText(delivery) ?? undefined,
      })
    },
    onError: (error) => {
      console.error('The webhook could not be tried', error)
      showToast({ tone: 'danger', title: text('testFailed', { name }), description: errorText(error) })
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: hooksKey }),
  })
  const removal = useRemoval({
    question: text('deleteQuestion', { name }),
    detail: text('deleteDetail'),
    confirmLabel: text('delete'),
    remove: () => deleteHook(hook.id),
    removed: text('deleted', { name }),
    failed: text('deleteFailed'),
    queryKey: hooksKey,
  })
  return { trial, removal }
}
