import type { Source } from '@mira/shared'
import { can } from '@mira/shared/access'
import { useMutation } from '@tanstack/react-query'
import { BookmarkCheck, BookmarkPlus } from 'lucide-react'
import { createContext, type ReactNode, useContext } from 'react'
import { Link } from 'react-router-dom'
import { savePage } from '../../../lib/api/library.ts'
import { clock } from '../../../lib/format/format.ts'
import { linkTarget } from '../../../lib/format/inline-text.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { pageTextValues, useText } from '../../../lib/i18n/i18n.ts'
import { useItemPeek } from '../../../lib/session/navigation-state.ts'
import { chatPath } from '../../../lib/session/paths.ts'
import { useUser } from '../../../lib/session/session.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { CITATION } from './citation-attribute.ts'

/** URL of a web page used as a source; null for other sources and for unsafe URLs. */
export function webUrlOf({ url }: Source): string | null {
  const target = linkTarget(url, '')
  return target?.kind === 'outside' ? target.url : null
}

/** Button that saves a web page in the memory, with its URL and date. */
export function SavePageButton({ source, pageUrl }: { source: Source; pageUrl: string }) {
  const text = useText('chat')
  const errorText = useErrorText()
  const user = useUser()
  const save = useMutation({
    mutationFn: () => savePage(pageUrl),
    onSuccess: ({ isKnown }) => showToast({ tone: 'success', title: text(isKnown ? 'web.keptBefore' : 'web.kept') }),
    onError: (error) => showToast({ tone: 'danger', title: text('web.keepFailed'), description: errorText(error) }),
  })
  if (!can(user, 'upload')) return null
  return (
    <IconButton
      size="sm"
      name={text(save.isSuccess ? 'web.isKept' : 'web.keep', { title: source.title })}
      icon={save.isSuccess ? <BookmarkCheck aria-hidden /> : <BookmarkPlus aria-hidden />}
      loading={save.isPending}
      disabled={save.isSuccess}
      onClick={() => save.mutate()}
    />
  )
}

/** Parts of the Markdown syntax tree used here. */
interface MarkdownNode {
  type: string
  value?: string
  url?: string
  data?: { hProperties: Record<string, string> }
  children?: MarkdownNode[]
}

const CITATION_MARK = /\[(\d{1,3})\]/g
/** Nodes whose content isn't searched for citation marks. */
const skippedTypes = new Set(['link', 'linkReference', 'definition', 'footnoteDefinition'])

/** Remark plugin that turns numbers in square brackets into citation links. */
export function remarkCitations() {
  return (tree: MarkdownNode): void => addCitations(tree)
}

function addCitations(node: MarkdownNode): void {
  if (!node.children || skippedTypes.has(node.type)) return
  node.children = node.children.flatMap((child) => (child.type === 'text' ? splitText(child) : [child]))
  for (const child of node.children) addCitations(child)
}

function splitText(node: MarkdownNode): MarkdownNode[] {
  const text = node.value ?? ''
  const parts: MarkdownNode[] = []
  let position = 0
  for (const match of text.matchAll(CITATION_MARK)) {
    const [mark, number = ''] = match
    if (match.index > position) parts.push({ type: 'text', value: text.slice(position, match.index) })
    const data = { hProperties: { [CITATION]: number } }
    parts.push({ type: 'link', url: '', data, children: [{ type: 'text', value: mark }] })
    position = match.index + mark.length
  }
  if (position === 0) return [node]
  if (position < text.length) parts.push({ type: 'text', value: text.slice(position) })
  return parts
}

const CitedSources = createContext<readonly Source[]>([])

/** Provides the sources that citations inside it refer to. */
export const CitedSourcesProvider = CitedSources.Provider

/** Location within a source, in words: page 3, at 4:05. */
export function useLocationText(): (source: Source) => string {
  const text = useText('chat')
  return ({ page, page_kind, page_title, timestamp_seconds, frame_number }) => {
    const parts = [
      page === undefined ? null : text('sources.page', pageTextValues(page, page_kind, page_title)),
      timestamp_seconds === undefined ? null : text('sources.at', { time: clock(timestamp_seconds) }),
      frame_number === undefined || timestamp_seconds !== undefined
        ? null
        : text('sources.frame', { frame: frame_number }),
    ]
    return parts.filter((part) => part !== null).join(' · ')
  }
}

/** URL of a source; for a conversation, that of the message. */
export function sourceUrl({ url, session_id, message_id }: Source): string {
  return session_id === undefined || message_id === undefined ? url : chatPath(session_id, message_id)
}

/** Citation number that links to its source, or plain text if there's no such source. */
export function Citation({ number, children }: { number: number; children?: ReactNode }) {
  const text = useText('chat')
  const locationOf = useLocationText()
  const peek = useItemPeek()
  const source = useContext(CitedSources).find(({ n }) => n === number)
  if (source === undefined) return children
  const name = [source.title, locationOf(source)].filter((part) => part !== '').join(', ')
  const label = { title: name, 'aria-label': text('sources.citation', { number, name }), [CITATION]: number }
  const citationClass =
    'mx-0.5 inline-grid h-5 min-w-5 place-items-center rounded-full bg-ai-soft px-1 align-[0.1em] text-12 leading-none font-medium text-ai-text tabular-nums no-underline transition-colors shade-on-hover'
  const pageUrl = webUrlOf(source)
  if (pageUrl !== null) {
    return (
      <a {...label} href={pageUrl} target="_blank" rel="noopener noreferrer" className={citationClass}>
        {number}
      </a>
    )
  }
  return (
    <Link {...label} to={sourceUrl(source)} onClick={peek(source.url)} className={citationClass}>
      {number}
    </Link>
  )
}
