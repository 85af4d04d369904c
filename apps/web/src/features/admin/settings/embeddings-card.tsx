import type { EmbeddingProfile } from '@mira/shared'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { CircleCheck, History, LoaderCircle, type LucideIcon } from 'lucide-react'
import { call } from '../../../lib/api/client.ts'
import { LoadFailed } from '../../../lib/components/query-list.tsx'
import { useFormat } from '../../../lib/format/format.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useRemoval } from '../../../lib/loading/use-move-to-trash.ts'
import type { AdminSettingsCard } from '../../../lib/session/paths.ts'
import { Badge, type BadgeTone } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card, CardHeader } from '../../../ui/card.tsx'
import { Progress } from '../../../ui/progress.tsx'
import { LoadingRegion, Skeleton } from '../../../ui/skeleton.tsx'
import type { SettingsFields } from './use-settings-form.ts'

const FILLING_POLL_MS = 2_000
const POLL_MS = 15_000

/** Embedding profiles; polled faster while one is being filled. */
const embeddingsQuery = queryOptions({
  queryKey: ['admin-embeddings'],
  queryFn: ({ signal }) => call('GET /admin/embeddings', { signal }),
  refetchInterval: ({ state }) =>
    state.data?.profiles.some(({ state: profileState }) => profileState === 'filling') ? FILLING_POLL_MS : POLL_MS,
})

const looks: Record<EmbeddingProfile['state'], { tone: BadgeTone; Icon: LucideIcon }> = {
  active: { tone: 'success', Icon: CircleCheck },
  filling: { tone: 'accent', Icon: LoaderCircle },
  old: { tone: 'neutral', Icon: History },
}

/** Embedding models that have indexed the memory, with the progress of the one being prepared. */
export function EmbeddingsCard({ fields }: { fields: SettingsFields }) {
  const text = useText('settings-admin')
  const appText = useText('app')
  const query = useQuery(embeddingsQuery)
  const profiles = query.data?.profiles
  return (
    <Card id={'embeddings' satisfies AdminSettingsCard} className="scroll-mt-40">
      <CardHeader title={text('embeddings.title')} description={text('embeddings.subtitle')} />
      {query.isLoadingError && <LoadFailed query={query} />}
      {query.isPending && (
        <LoadingRegion label={appText('common.loading')}>
          <Skeleton className="h-20" />
        </LoadingRegion>
      )}
      {profiles?.length === 0 && <p className="text-13 text-muted">{text('embeddings.none')}</p>}
      {profiles && profiles.length > 0 && (
        <ul className="-my-3 flex flex-col divide-y divide-border">
          {profiles.map((profile) => (
            <Profile key={profile.id} profile={profile} fields={fields} />
          ))}
        </ul>
      )}
    </Card>
  )
}

function Profile({ profile, fields }: { profile: EmbeddingProfile; fields: SettingsFields }) {
  const text = useText('settings-admin')
  const format = useFormat()
  const { tone, Icon } = looks[profile.state]
  const { filled, total } = profile
  const count = { filled: format.number(filled), total: format.number(total) }
  return (
    <li className="flex flex-col gap-2 py-3">
      <div className="flex flex-wrap items-start justify-between gap-x-3 gap-y-1.5">
        <div className="min-w-0">
          <p className="text-14 font-medium break-all">{profile.model}</p>
          <p className="flex flex-wrap gap-x-3 text-13 text-muted tabular-nums">
            <span>{text(`embeddings.kinds.${profile.kind}`)}</span>
            <span>{text('embeddings.dimensions', { dimensions: profile.dimensions })}</span>
            <span>{text(`embeddings.count.${profile.kind}`, count)}</span>
          </p>
        </div>
        <Badge tone={tone} icon={<Icon aria-hidden />}>
          {text(`embeddings.states.${profile.state}`)}
        </Badge>
      </div>
      {profile.state === 'filling' && (
        <>
          <Progress
            label={text('embeddings.progress', { model: profile.model })}
            labelHidden
            tone="ai"
            value={total === 0 ? null : (100 * filled) / total}
          />
          <p className="flex flex-wrap gap-x-3 text-12 text-muted tabular-nums">
            {profile.per_minute !== null && (
              <span>{text('embeddings.speed', { count: format.number(profile.per_minute) })}</span>
            )}
            {profile.seconds_left !== null && (
              <span>{text('embeddings.left', { time: format.duration(profile.seconds_left) })}</span>
            )}
            {profile.failed_items > 0 && <span>{text('embeddings.failed', { count: profile.failed_items })}</span>}
          </p>
          {profile.error && <p className="text-13 break-words text-danger-text">{profile.error}</p>}
        </>
      )}
      {profile.state === 'old' && <OldProfile profile={profile} fields={fields} />}
    </li>
  )
}

/** A profile that's no longer used, with buttons to choose or remove it. */
function OldProfile({ profile, fields }: { profile: EmbeddingProfile; fields: SettingsFields }) {
  const text = useText('settings-admin')
  const drop = useRemoval({
    question: text('embeddings.dropQuestion', { model: profile.model }),
    detail: text('embeddings.dropDetail'),
    confirmLabel: text('embeddings.drop'),
    remove: () => call('POST /admin/embeddings/:id/drop', { params: { id: profile.id } }),
    failureTitle: text('embeddings.dropFailed'),
    queryKey: embeddingsQuery.queryKey,
  })
  const capability = profile.kind === 'text' ? 'embedding' : 'image_embedding'
  const engine = profile.engine === 'local' ? 'local' : 'remote'
  const canChoose = fields.answer.engines[capability].choices.includes(engine)
  const choice = fields.form.engines[capability]
  const isChosen = choice?.engine === engine && choice.model === profile.model
  return (
    <div className="flex flex-wrap items-center gap-2">
      {canChoose && !isChosen && (
        <Button
          size="sm"
          aria-label={text('embeddings.useOne', { model: profile.model })}
          onClick={() =>
            fields.change({ engines: { ...fields.form.engines, [capability]: { engine, model: profile.model } } })
          }
        >
          {text('embeddings.use')}
        </Button>
      )}
      {isChosen && <span className="text-13 text-muted">{text('embeddings.saveToUse')}</span>}
      <Button
        size="sm"
        loading={drop.isPending}
        aria-label={text('embeddings.dropOne', { model: profile.model })}
        onClick={drop.ask}
      >
        {text('embeddings.drop')}
      </Button>
    </div>
  )
}
