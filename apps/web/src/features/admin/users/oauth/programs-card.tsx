import type { ProgramJson } from '@mira/shared'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Plug } from 'lucide-react'
import { useEffect } from 'react'
import { call } from '../../../../lib/api/client.ts'
import { QueryList } from '../../../../lib/components/query-list.tsx'
import { RelativeTime } from '../../../../lib/components/relative-time.tsx'
import { useText } from '../../../../lib/i18n/i18n.ts'
import { useRemoval } from '../../../../lib/loading/use-move-to-trash.ts'
import { Button } from '../../../../ui/button.tsx'
import { Card, CardHeader } from '../../../../ui/card.tsx'

const programsKey = ['programs'] as const

/** Programs (OAuth clients) that the user authorized, with their permissions and a button to revoke them. */
export function ProgramsCard() {
  const text = useText('programs')
  const query = useInfiniteQuery({
    queryKey: programsKey,
    queryFn: ({ pageParam, signal }) => call('GET /me/programs', { signal, query: { limit: 50, cursor: pageParam } }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  })
  useEffect(() => {
    if (query.error) console.error('The programs could not be loaded', query.error)
  }, [query.error])
  return (
    <Card>
      <CardHeader title={text('card.title')} description={text('card.subtitle')} />
      <QueryList
        query={query}
        items={query.data?.pages.flatMap((page) => page.programs)}
        label={text('card.title')}
        empty={{
          icon: <Plug />,
          title: text('card.empty'),
          text: text('card.emptyHint', { address: `${window.location.origin}/mcp` }),
        }}
      >
        {(program) => <ProgramLine key={program.id} program={program} />}
      </QueryList>
    </Card>
  )
}

function ProgramLine({ program }: { program: ProgramJson }) {
  const text = useText('programs')
  const end = useRemoval({
    question: text('card.endQuestion', { name: program.name }),
    detail: text('card.endDetail'),
    confirmLabel: text('card.end'),
    remove: () => call('DELETE /me/programs/:id', { params: { id: program.id } }),
    successToast: text('card.ended', { name: program.name }),
    failureTitle: text('card.endFailed'),
    queryKey: programsKey,
  })
  return (
    <li className="flex items-center gap-3 py-3">
      <span
        aria-hidden
        className="grid size-9 shrink-0 place-items-center rounded-control bg-surface-sunken text-muted"
      >
        <Plug className="size-4.5" />
      </span>
      <div className="min-w-0 flex-1">
        <p className="truncate text-14 font-medium">{program.name}</p>
        <p className="truncate text-13 text-muted">{new URL(program.redirect_uri).host}</p>
        <p className="text-13 text-muted">{program.scopes.map((scope) => text(`short.${scope}`)).join(', ')}</p>
        <p className="flex flex-wrap gap-x-3 text-13 text-muted">
          <span>
            {text('card.since')} <RelativeTime moment={program.created_at} />
          </span>
          <span>
            {text('card.lastUsed')}{' '}
            {program.last_used_at ? <RelativeTime moment={program.last_used_at} /> : text('card.never')}
          </span>
        </p>
      </div>
      <Button
        size="sm"
        loading={end.isPending}
        aria-label={text('card.endOne', { name: program.name })}
        onClick={end.ask}
      >
        {text('card.end')}
      </Button>
    </li>
  )
}
