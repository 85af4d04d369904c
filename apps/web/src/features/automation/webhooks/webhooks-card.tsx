import type { HookDeliveryJson, HookJson } from '@mira/shared'
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { CircleAlert, CircleCheck, Clock, Plus, ScrollText, Trash2, Webhook } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../../lib/api/client.ts'
import { ListCard, LoadFailed, NextPage } from '../../../lib/components/query-list.tsx'
import { RelativeTime } from '../../../lib/components/relative-time.tsx'
import { useFormat } from '../../../lib/format/format.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useRemoval } from '../../../lib/loading/use-move-to-trash.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { LoadingRegion, SkeletonText } from '../../../ui/skeleton.tsx'
import { deliveriesQuery, hooksKey, hooksQuery, NewWebhookDialog } from './new-webhook-dialog.tsx'

const stateBadges = {
  delivered: { tone: 'success', Icon: CircleCheck },
  failed: { tone: 'danger', Icon: CircleAlert },
  waiting: { tone: 'warning', Icon: Clock },
} as const

/** Badge with the outcome of a delivery. */
function DeliveryState({ state }: Pick<HookDeliveryJson, 'state'>) {
  const text = useText('webhooks')
  const { tone, Icon } = stateBadges[state]
  return (
    <Badge tone={tone} icon={<Icon aria-hidden />}>
      {text(`state.${state}`)}
    </Badge>
  )
}

/** Reason why the last attempt at a delivery failed; null when it succeeded or there was none. */
function useProblemText(): (delivery: HookDeliveryJson) => string | null {
  const text = useText('webhooks')
  return ({ problem, status }) => problem && text(`problem.${problem}`, { status: String(status ?? '') })
}

/** Name of a webhook; the host of its URL when it has none. */
function hookTitle({ name, url }: Pick<HookJson, 'name' | 'url'>): string {
  return name || (URL.canParse(url) ? new URL(url).host : url)
}

/** Log of a webhook's deliveries with their outcomes. */
function DeliveriesDialog({ hook, onClose }: { hook: HookJson; onClose: () => void }) {
  const text = useText('webhooks')
  const appText = useText('app')
  const query = useInfiniteQuery(deliveriesQuery(hook.id))
  const all = query.data?.pages.flatMap(({ deliveries }) => deliveries)
  return (
    <Dialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={text('logOf', { name: hookTitle(hook) })}
      description={text('logHint')}
      closeLabel={appText('common.close')}
    >
      {query.isPending && (
        <LoadingRegion label={appText('common.loading')}>
          <SkeletonText lines={3} />
        </LoadingRegion>
      )}
      {query.isLoadingError && <LoadFailed query={query} />}
      {all?.length === 0 && <p className="text-14 text-muted">{text('nothingSent')}</p>}
      {all && all.length > 0 && (
        <ul aria-label={text('logOf', { name: hookTitle(hook) })} className="-my-2 divide-y divide-border">
          {all.map((delivery) => (
            <Delivery key={delivery.id} delivery={delivery} />
          ))}
        </ul>
      )}
      <NextPage query={query} className="mt-4" />
    </Dialog>
  )
}

function Delivery({ delivery }: { delivery: HookDeliveryJson }) {
  const text = useText('webhooks')
  const format = useFormat()
  const problemText = useProblemText()
  const { event, state, attempts, status, problem, next_attempt_at: nextAt } = delivery
  return (
    <li className="py-2.5">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <span className="text-14 font-medium">{text(`event.${event}`)}</span>
        <DeliveryState state={state} />
      </div>
      <p className="flex flex-wrap gap-x-3 text-13 text-muted">
        <RelativeTime moment={delivery.created_at} />
        <span>{text('attempts', { count: attempts })}</span>
        {problem === null && status !== null && <span>{text('status', { status: String(status) })}</span>}
        {nextAt && attempts > 0 && <span>{text('nextAttempt', { time: format.dateTime(nextAt) })}</span>}
      </p>
      {problem && <p className="text-13 text-danger-text">{problemText(delivery)}</p>}
    </li>
  )
}

/** The user's webhooks: add, test or delete them, and see their deliveries. */
export function WebhooksCard() {
  const text = useText('webhooks')
  const query = useInfiniteQuery(hooksQuery)
  const [dialogKey, setDialogKey] = useState(0)
  const [isOpen, setIsOpen] = useState(false)
  const [openHook, setOpenHook] = useState<HookJson | null>(null)
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
            setDialogKey(dialogKey + 1)
            setIsOpen(true)
          },
        }}
        query={query}
        items={all}
        empty={{ icon: <Webhook />, title: text('empty'), text: text('emptyHint') }}
      >
        {(hook) => <Row key={hook.id} hook={hook} onShowLog={() => setOpenHook(hook)} />}
      </ListCard>
      <NewWebhookDialog key={dialogKey} open={isOpen} onOpenChange={setIsOpen} />
      {openHook && <DeliveriesDialog key={openHook.id} hook={openHook} onClose={() => setOpenHook(null)} />}
    </>
  )
}

function Row({ hook, onShowLog }: { hook: HookJson; onShowLog: () => void }) {
  const text = useText('webhooks')
  const problemText = useProblemText()
  const { sendTest, removal } = useHookActions(hook)
  const name = hookTitle(hook)
  const lastDelivery = hook.last_delivery
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-3">
      <div className="min-w-48 flex-1">
        <p className="truncate text-14 font-medium">{name}</p>
        <p className="truncate font-mono text-12 text-muted" title={hook.url}>
          {hook.url}
        </p>
        <p className="text-13 text-muted">{hook.events.map((event) => text(`event.${event}`)).join(', ')}</p>
        <div className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-13 text-muted">
          {lastDelivery ? (
            <>
              <DeliveryState state={lastDelivery.state} />
              <RelativeTime moment={lastDelivery.created_at} />
              {lastDelivery.problem && <span>{problemText(lastDelivery)}</span>}
            </>
          ) : (
            text('nothingSent')
          )}
        </div>
      </div>
      <div className="flex items-center gap-1">
        <Button
          size="sm"
          loading={sendTest.isPending}
          aria-label={text('testOne', { name })}
          onClick={() => sendTest.mutate()}
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
  const sendTest = useMutation({
    mutationFn: () => call('POST /me/hooks/:id/test', { params: { id: hook.id } }),
    onSuccess: (delivery) => {
      const hasArrived = delivery.state === 'delivered'
      showToast({
        tone: hasArrived ? 'success' : 'danger',
        title: text(hasArrived ? 'testArrived' : 'testFailed', { name }),
        description: problemText(delivery) ?? undefined,
      })
    },
    onError: (error) => {
      console.error('Failed to test the webhook', error)
      showToast({ tone: 'danger', title: text('testFailed', { name }), description: errorText(error) })
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: hooksKey }),
  })
  const removal = useRemoval({
    question: text('deleteQuestion', { name }),
    detail: text('deleteDetail'),
    confirmLabel: text('delete'),
    remove: () => call('DELETE /me/hooks/:id', { params: { id: hook.id } }),
    successToast: text('deleted', { name }),
    failureTitle: text('deleteFailed'),
    queryKey: hooksKey,
  })
  return { sendTest, removal }
}
