import type { Source } from '@mira/shared'
import { can } from '@mira/shared/access'
import { useMutation } from '@tanstack/react-query'
import { BookmarkCheck, BookmarkPlus } from 'lucide-react'
import { createContext, type ReactNode, useContext } from 'react'
import { Link } from 'react-router-dom'
import { keepPage } from '../../../lib/api/library.ts'
import { clock } from '../../../lib/format/format.ts'
import { linkTarget } from '../../../lib/format/inline-text.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { pageWords, useText } from '../../../lib/i18n/i18n.ts'
import { useItemPeek } from '../../../lib/session/navigation-state.ts'
import { chatPath } from '../../../lib/session/paths.ts'
import { useUser } from '../../../lib/session/session.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { showToast } from '../../../ui/show-toast.ts'

/** Address of a web page used as a source; null for other sources and for unsafe addresses. */
export function webAddressOf({ url }: Source): string | null {
  const target = linkTarget(url, '')
  return target?.kind === 'outside' ? target.url : null
}

/** Button to keep a web page in the memory, with its address and date. */
export function KeepPage({ source, address }: { source: Source; address: string }) {
  const text = useText('chat')
  const errorText = useErrorText()
  const user = useUser()
  const keep = useMutation({
    mutationFn: () => keepPage(address),
    onSuccess: ({ isKnown }) => showToast({ tone: 'success', title: text(isKnown ? 'web.keptBefore' : 'web.kept') }),
    onError: (error) => showToast({ tone: 'danger', title: text('web.keepFailed'), description: errorText(error) }),
  })
  if (!can(user, 'upload')) return null
  return (
    <IconButton
      size="sm"
      name={text(keep.isSuccess ? 'web.isKept' : 'web.keep', { title: source.title })}
      icon={keep.isSuccess ? <BookmarkCheck aria-hidden /> : <BookmarkPlus aria-hidden />}
      loading={keep.isPending}
      disabled={keep.isSuccess}
      onClick={() => keep.mutate()}
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

const MARK = /\[(\d{1,3})\]/g
/** Nodes whose content isn't searched for marks. */
const skippedTypes = new Set(['link', 'linkReference', 'definition', 'footnoteDefinition'])

/** Attribute that marks a link as a citation; Markdown text can't set it. */
export const CITATION = 'data-citation'

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
  for (const match of text.matchAll(MARK)) {
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

/** Provides the sources for citations inside. */
export const CitedSourcesProvider = CitedSources.Provider

/** Location in a source in words: page 3, at 4:05. */
export function useLocationText(): (source: Source) => string {
  const text = useText('chat')
  return ({ page, page_kind, page_title, timestamp_seconds, frame_number }) => {
    const parts = [
      page === undefined ? null : text('sources.page', pageWords(page, page_kind, page_title)),
      timestamp_seconds === undefined ? null : text('sources.at', { time: clock(timestamp_seconds) }),
      frame_number === undefined || timestamp_seconds !== undefined
        ? null
        : text('sources.frame', { frame: frame_number }),
    ]
    return parts.filter((part) => part !== null).join(' · ')
  }
}

/** Address of a source; for conversations, the message itself. */
export function addressOf({ url, session_id, message_id }: Source): string {
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
  const label = { title: name, 'aria-label': text('sources.citation', { number, name }) }
  const look =
    'mx-0.5 inline-grid h-5 min-w-5 place-items-center rounded-full bg-ai-soft px-1 align-[0.1em] text-12 leading-none font-medium text-ai-text tabular-nums no-underline transition-colors shade-on-hover'
  const address = webAddressOf(source)
  if (address !== null) {
    return (
      <a {...label} href={address} target="_blank" rel="noopener noreferrer" className={look}>
        {number}
      </a>
    )
  }
  return (
    <Link {...label} to={addressOf(source)} onClick={peek(source.url)} className={look}>
      {number}
    </Link>
  )
}
