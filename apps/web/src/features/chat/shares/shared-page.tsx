import type { PublicShareJson } from '@mira/shared'
import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { MessageSquarePlus, Printer } from 'lucide-react'
import { useNavigate, useParams } from 'react-router-dom'
import { ApiError, call } from '../../../lib/api/client.ts'
import { useTitle } from '../../../lib/browser/page-meta.ts'
import { LoadFailed, NextPage } from '../../../lib/components/query-list.tsx'
import { useFormat } from '../../../lib/format/format.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { chatPath } from '../../../lib/session/paths.ts'
import { useSession } from '../../../lib/session/session.ts'
import { Banner } from '../../../ui/banner.tsx'
import { BrandMark } from '../../../ui/brand-mark.tsx'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { ReadingPage, ReadOnlyMessage } from './read-message.tsx'

/** Public page of a shared conversation, as it was when it was shared. Suitable for printing. */
export function SharedPage() {
  const text = useText('shares')
  const { token = '' } = useParams()
  const query = useInfiniteQuery({
    queryKey: ['public-share', token],
    queryFn: ({ pageParam, signal }) =>
      call('GET /public/shares/:token', { params: { token }, signal, query: { before: pageParam } }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ previous_cursor: before }) => before,
    retry: false,
  })
  const isGone = query.error instanceof ApiError && query.error.status === 404
  const [newest] = query.data?.pages ?? []
  return (
    <ReadingPage isPending={query.isPending}>
      {isGone && <EmptyState level={2} icon={<BrandMark />} title={text('gone')} text={text('goneText')} />}
      {query.isLoadingError && !isGone && <LoadFailed query={query} />}
      {newest && (
        <>
          <Heading share={newest} token={token} />
          <NextPage query={query} className="print:hidden" label={text('earlier')} />
          <ol className="flex flex-col gap-6">
            {query.data?.pages
              .toReversed()
              .flatMap(({ messages }) => messages)
              .map((message) => (
                <li key={message.id}>
                  <ReadOnlyMessage message={message} assistant={newest.assistant_name} />
                </li>
              ))}
          </ol>
        </>
      )}
    </ReadingPage>
  )
}

function Heading({ share, token }: { share: PublicShareJson; token: string }) {
  const text = useText('shares')
  const errorText = useErrorText()
  const format = useFormat()
  const navigate = useNavigate()
  const state = useSession()
  const continuation = useMutation({
    mutationFn: () => call('POST /public/shares/:token/continue', { params: { token }, timeoutMs: null }),
    onError: (error) => console.error('The shared conversation could not be continued', error),
  })
  useTitle(share.title)
  return (
    <header className="flex flex-col gap-3 border-b border-border pb-5">
      <div className="flex items-center gap-2 text-13 text-muted">
        <BrandMark className="size-6" />
        {text('sharedFrom', { assistant: share.assistant_name, time: format.dateTime(share.created_at) })}
      </div>
      <h1 className="text-24 leading-tight font-semibold text-balance break-words">{share.title}</h1>
      <div className="flex flex-wrap gap-2 print:hidden">
        {state.status === 'signed-in' && state.user.can_chat && (
          <Button
            variant="primary"
            icon={<MessageSquarePlus aria-hidden />}
            loading={continuation.isPending}
            onClick={() =>
              // `onSuccess` belongs to this call, so that it's skipped when the user has left the page meanwhile.
              continuation.mutate(undefined, { onSuccess: ({ session_id: id }) => void navigate(chatPath(id)) })
            }
          >
            {text('continue')}
          </Button>
        )}
        <Button icon={<Printer aria-hidden />} onClick={() => window.print()}>
          {text('print')}
        </Button>
      </div>
      {continuation.error && <Banner tone="error">{errorText(continuation.error)}</Banner>}
    </header>
  )
}
