import { can } from '@mira/shared/access'
import { useQuery } from '@tanstack/react-query'
import { MessageSquare, RotateCcw, Trash2 } from 'lucide-react'
import { useRef } from 'react'
import { useSearchParams } from 'react-router-dom'
import { LoadFailed, NextPage } from '../../../lib/components/query-list.tsx'
import { useFormat } from '../../../lib/format/format.ts'
import { daysLeft } from '../../../lib/format/time-zones.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { configQuery } from '../../../lib/loading/queries.ts'
import type { TrashedKind } from '../../../lib/loading/use-move-to-trash.ts'
import { useUser } from '../../../lib/session/session.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { useConfirm } from '../../../ui/confirm-dialog.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { MediaIcon } from '../../../ui/media-icon.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { LoadingRegion, Skeleton } from '../../../ui/skeleton.tsx'
import { TabPanel, Tabs } from '../../../ui/tabs.tsx'
import { ThumbhashImage } from '../../../ui/thumbhash-image.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { type TrashedThing, useTrash } from './use-trash.ts'

/** Items or conversations in the trash with the days left, and buttons to restore or permanently delete them. */
function TrashList({ kind }: { kind: TrashedKind }) {
  const text = useText('trash')
  const common = useText('app')
  const errorText = useErrorText()
  const confirm = useConfirm()
  const { query, things, listAll, restore, remove, empty } = useTrash(kind)
  const list = useRef<HTMLDivElement>(null)
  const showFailure = (title: string) => (error: unknown) => {
    console.error(title, error)
    showToast({ tone: 'danger', title, description: errorText(error) })
  }
  // moves the focus to the list, as the row with the focus is removed
  const showSuccess = (title: string) => {
    showToast({ tone: 'success', title })
    list.current?.focus()
  }
  const nameOf = ({ name }: TrashedThing) => name || text('unnamed')

  const restoreOne = (thing: TrashedThing) =>
    restore
      .mutateAsync(thing.id)
      .then(() => showSuccess(text('restored', { name: nameOf(thing) })), showFailure(text('restoreFailed')))
  const deleteNow = async (thing: TrashedThing) => {
    const name = nameOf(thing)
    const isSure = await confirm({
      question: text('deleteQuestion'),
      detail: text('deleteDetail', { name }),
      confirmLabel: text('deleteConfirm'),
      tone: 'danger',
    })
    if (isSure)
      await remove
        .mutateAsync(thing.id)
        .then(() => showSuccess(text('deleted', { name })), showFailure(text('deleteFailed')))
  }
  const emptyAll = async () => {
    const onFailure = showFailure(text('deleteFailed'))
    // things moved to the trash after the confirmation aren't deleted
    const ids = await listAll.mutateAsync().catch(onFailure)
    if (!ids) return
    const isSure = await confirm({
      question: text('emptyQuestion'),
      detail: text(`emptyDetail.${kind}`, { count: ids.length }),
      confirmLabel: text('empty.action'),
      tone: 'danger',
    })
    if (isSure) await empty.mutateAsync(ids).then(() => showSuccess(text('emptied')), onFailure)
  }

  if (query.isPending) {
    return (
      <LoadingRegion label={common('common.loading')} className="flex flex-col gap-2">
        {['first', 'second', 'third'].map((name) => (
          <Skeleton key={name} className="h-18 rounded-card" />
        ))}
      </LoadingRegion>
    )
  }
  if (!query.data) return <LoadFailed query={query} className="py-6" />
  return (
    <div ref={list} tabIndex={-1} className="outline-none">
      {things.length === 0 ? (
        <EmptyState icon={<Trash2 />} title={text(`empty.${kind}`)} text={text('empty.text')} />
      ) : (
        <>
          <div className="mb-3 flex justify-end">
            <Button
              size="sm"
              variant="danger"
              icon={<Trash2 aria-hidden />}
              loading={listAll.isPending || empty.isPending}
              onClick={() => void emptyAll()}
            >
              {text('empty.action')}
            </Button>
          </div>
          <Card flush>
            <ul aria-label={text(`list.${kind}`)} className="divide-y divide-border">
              {things.map((thing) => (
                <Row
                  key={thing.id}
                  thing={thing}
                  name={nameOf(thing)}
                  isBusy={
                    empty.isPending ||
                    [restore, remove].some(({ isPending, variables }) => isPending && variables === thing.id)
                  }
                  onRestore={() => void restoreOne(thing)}
                  onDelete={() => void deleteNow(thing)}
                />
              ))}
            </ul>
          </Card>
        </>
      )}
      <NextPage query={query} className="mt-6" />
    </div>
  )
}

function Row({ thing, name, isBusy, onRestore, onDelete }: RowProps) {
  const text = useText('trash')
  const format = useFormat()
  const { item, messageCount, until } = thing
  return (
    <li className="flex items-center gap-3 px-3 py-2.5 sm:px-4">
      <span className="relative grid size-12 shrink-0 place-items-center overflow-hidden rounded-control bg-hover text-muted">
        {item === null ? (
          <MessageSquare aria-hidden className="size-5" />
        ) : (
          <ThumbhashImage
            src={item.thumbnail}
            sizes={{ sizes: '48px' }}
            hash={item.thumbhash}
            alt=""
            fallback={
              <span className="absolute inset-0 grid place-items-center">
                <MediaIcon type={item.type} className="size-5" />
              </span>
            }
          />
        )}
      </span>
      <div className="min-w-0 flex-1">
        <p className="truncate text-14 font-medium" title={name}>
          {name}
        </p>
        <p className="truncate text-13 text-muted">
          <TimeText text={text('left', { days: daysLeft(until) })} absolute={format.dateTime(until)} dateTime={until} />
          {messageCount !== null && ` · ${text('messages', { count: messageCount })}`}
        </p>
      </div>
      <Button
        size="sm"
        icon={<RotateCcw aria-hidden />}
        aria-label={text('restoreNamed', { name })}
        disabled={isBusy}
        onClick={onRestore}
      >
        <span className="max-sm:sr-only">{text('restore')}</span>
      </Button>
      <IconButton
        name={text('deleteNamed', { name })}
        icon={<Trash2 aria-hidden />}
        size="sm"
        variant="danger"
        disabled={isBusy}
        onClick={onDelete}
      />
    </li>
  )
}

type RowProps = {
  thing: TrashedThing
  name: string
  isBusy: boolean
  onRestore: () => void
  onDelete: () => void
}

/** /trash: deleted items and conversations that can be restored. */
export function TrashPage() {
  const text = useText('trash')
  const user = useUser()
  const [parameters, setParameters] = useSearchParams()
  const { data: config } = useQuery(configQuery)
  const kinds = (['items', 'conversations'] as const).filter((kind) => can(user, kind === 'items' ? 'upload' : 'chat'))
  const [firstKind] = kinds
  const requestedKind = parameters.get('kind') === 'conversations' ? 'conversations' : 'items'
  const kind: TrashedKind | undefined = kinds.includes(requestedKind) ? requestedKind : firstKind
  const days = config?.trash.days
  return (
    <>
      <PageHeader
        title={text('title')}
        subtitle={days !== undefined && (days === 0 ? text('off') : text('subtitle', { days }))}
      />
      {kind && (
        <Tabs
          label={text('kinds.label')}
          tabs={kinds.map((value) => ({ value, label: text(`kinds.${value}`) }))}
          value={kind}
          onValueChange={(next) => setParameters(next === 'items' ? {} : { kind: next }, { replace: true })}
        >
          {kinds.map((value) => (
            <TabPanel key={value} value={value} className="mt-4">
              <TrashList kind={value} />
            </TabPanel>
          ))}
        </Tabs>
      )}
    </>
  )
}
