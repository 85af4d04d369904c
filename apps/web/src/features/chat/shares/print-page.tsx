import type { ChatMessageJson, ChatSessionDetailJson } from '@mira/shared'
import { useQuery } from '@tanstack/react-query'
import { Printer } from 'lucide-react'
import { useParams } from 'react-router-dom'
import { assistantName, useTitle } from '../../../lib/browser/page-meta.ts'
import { LoadFailed } from '../../../lib/components/query-list.tsx'
import { useFormat } from '../../../lib/format/format.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { BrandMark } from '../../../ui/brand-mark.tsx'
import { Button } from '../../../ui/button.tsx'
import { fetchChatSession } from '../conversation/chat-calls.ts'
import { ReadingPage, ReadOnlyMessage } from './read-message.tsx'

const PAGE_SIZE = 200

/** A whole conversation for printing or a PDF: all messages of the current branch. */
export function PrintPage() {
  const text = useText('shares')
  const format = useFormat()
  const { id = '' } = useParams()
  const query = useQuery({
    queryKey: ['printed-conversation', id],
    queryFn: ({ signal }) => fetchWholeConversation(id, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const { data } = query
  useTitle(data?.session_name ?? '')
  return (
    <ReadingPage isPending={query.isPending}>
      {query.isLoadingError && <LoadFailed query={query} />}
      {data && (
        <>
          <header className="flex flex-col gap-3 border-b border-border pb-5">
            <div className="flex items-center gap-2 text-13 text-muted">
              <BrandMark className="size-6" />
              {assistantName()} · {format.dateTime(data.created_at)}
            </div>
            <h1 className="text-24 leading-tight font-semibold text-balance break-words">{data.session_name}</h1>
            <Button
              variant="primary"
              className="self-start print:hidden"
              icon={<Printer aria-hidden />}
              onClick={() => window.print()}
            >
              {text('print')}
            </Button>
          </header>
          <ol className="flex flex-col gap-6">
            {data.messages.map((message) => (
              <li key={message.id}>
                <ReadOnlyMessage message={message} assistant={assistantName()} />
              </li>
            ))}
          </ol>
        </>
      )}
    </ReadingPage>
  )
}

async function fetchWholeConversation(id: string, signal: AbortSignal): Promise<ChatSessionDetailJson> {
  const newest = await fetchChatSession(id, { limit: PAGE_SIZE }, signal)
  const parts: ChatMessageJson[][] = [newest.messages]
  for (let before = newest.previous_cursor; before !== null; ) {
    const part = await fetchChatSession(id, { before, limit: PAGE_SIZE }, signal)
    parts.unshift(part.messages)
    before = part.previous_cursor
  }
  return { ...newest, messages: parts.flat() }
}
