import type { MediaDetailJson } from '@mira/shared'
import { partKindOf } from '@mira/shared/constants/formats'
import { isMarkdownName } from '@mira/shared/constants/markdown'
import { useQuery } from '@tanstack/react-query'
import { ChevronLeft, ChevronRight, ExternalLink, FileText, Globe } from 'lucide-react'
import type { ReactNode } from 'react'
import { call } from '../../lib/api/client.ts'
import { NoteMarkdown } from '../../lib/components/note-markdown.tsx'
import { LoadFailed } from '../../lib/components/query-list.tsx'
import { textBelowTitle } from '../../lib/format/note-text.ts'
import { pageTextValues, useText } from '../../lib/i18n/i18n.ts'
import { buttonClass } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { LoadingRegion, SkeletonText } from '../../ui/skeleton.tsx'
import { DocumentView, hasDocumentView } from './document-view.tsx'
import { MarkedText } from './marked-text.tsx'
import { PictureStrip } from './picture-strip.tsx'
import { StepReason } from './steps-panel.tsx'
import { isNote, isProcessing } from './use-item.ts'

/** A note as rendered Markdown. */
function NoteView({ item }: { item: MediaDetailJson }) {
  const app = useText('app')
  const query = useQuery({
    // editing the note changes its hash
    queryKey: ['gallery', 'note', item.id, item.metadata.sha256],
    queryFn: ({ signal }) => call('GET /notes/:id', { params: { id: item.id }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (query.isPending) {
    return (
      <LoadingRegion label={app('common.loading')} className="w-full max-w-reading p-6">
        <SkeletonText lines={8} />
      </LoadingRegion>
    )
  }
  if (query.isLoadingError) return <LoadFailed query={query} className="m-auto p-6" />
  return (
    <article className="h-fit w-full max-w-reading min-w-0 rounded-control border border-border bg-surface-raised p-5 text-14 sm:p-8">
      <h2 className="mb-4 text-20 font-semibold wrap-anywhere">{query.data.title}</h2>
      <NoteMarkdown text={textBelowTitle(query.data)} />
    </article>
  )
}

/** Format of a text document, by its file name. */
function formatOf({ original_filename, content_type }: MediaDetailJson['metadata']): 'markdown' | 'code' | 'prose' {
  if (isMarkdownName(original_filename)) return 'markdown'
  const isProse = /(?:\.(?:txt|tex|srt|vtt)|^[^.]*)$/i.test(original_filename)
  return content_type === 'text/plain' && !isProse ? 'code' : 'prose'
}

/** A document, page by page; each page is shown as a picture, or as text when it has none. */
export function DocumentStage({ item, pageIndex, onPage, words }: DocumentStageProps) {
  const text = useText('gallery')
  const { pages } = item
  const kind = partKindOf(item.metadata.content_type)
  const page = pages[pageIndex]
  const emptyText = isProcessing(item) ? (
    text('document.noPages')
  ) : (
    <StepReason item={item} step="read" otherwise={text('document.noText', { kind })} />
  )
  const hasPictures = pages.some(({ thumbnail }) => thumbnail !== null)
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex min-h-[45dvh] flex-1 justify-center overflow-y-auto bg-surface-sunken p-3 sm:p-6 @4xl:min-h-0">
        {isNote(item) ? (
          <NoteView item={item} />
        ) : hasDocumentView(item) ? (
          <DocumentView
            item={item}
            page={page?.page ?? 1}
            storedText={page?.text ?? item.content ?? ''}
            words={words}
          />
        ) : page?.thumbnail ? (
          <img
            key={page.page}
            // reserves the space until it's loaded
            width={page.width ?? undefined}
            height={page.height ?? undefined}
            src={page.thumbnail}
            alt={text('document.page', pageTextValues(page.page, kind, page.title))}
            className="m-auto h-auto max-h-full min-h-0 max-w-full rounded-control border border-border bg-surface-raised object-contain"
          />
        ) : (
          <TextPage
            value={page?.text ?? item.content ?? ''}
            words={words}
            format={formatOf(item.metadata)}
            emptyText={emptyText}
          />
        )}
      </div>
      {hasPictures && pages.length > 1 && (
        <div className="border-t border-border px-2 pt-2">
          <PictureStrip
            label={text('document.pages', { kind })}
            entries={pages.map(({ page: number, thumbnail }) => ({
              key: number,
              picture: thumbnail,
              name: text('document.page', pageTextValues(number, kind)),
              label: String(number),
            }))}
            current={pageIndex}
            width={60}
            height={78}
            fit="contain"
            fallback={<FileText aria-hidden className="size-5" />}
            onSelect={onPage}
          />
        </div>
      )}
      <div className="flex shrink-0 flex-wrap items-center justify-center gap-2 border-t border-border px-3 py-2">
        {pages.length > 1 && (
          <>
            <IconButton
              name={text('document.previous', { kind })}
              icon={<ChevronLeft aria-hidden />}
              disabled={pageIndex <= 0}
              onClick={() => onPage(pageIndex - 1)}
            />
            <span role="status" className="text-13 tabular-nums">
              {text('document.pageOf', {
                ...pageTextValues(page?.page ?? 1, kind, page?.title),
                count: item.metadata.pages ?? pages.length,
              })}
              {kind === 'page' && page?.title && ` (${page.title})`}
            </span>
            <IconButton
              name={text('document.next', { kind })}
              icon={<ChevronRight aria-hidden />}
              disabled={pageIndex >= pages.length - 1}
              onClick={() => onPage(pageIndex + 1)}
            />
          </>
        )}
        {item.metadata.source?.url && (
          <a
            href={item.metadata.source.url}
            target="_blank"
            rel="noopener noreferrer"
            className={buttonClass({ variant: 'ghost' })}
          >
            <Globe aria-hidden />
            {text('document.openPage')}
          </a>
        )}
        <a href={item.url} target="_blank" rel="noopener noreferrer" className={buttonClass({ variant: 'ghost' })}>
          <ExternalLink aria-hidden />
          {text('document.original')}
        </a>
      </div>
    </div>
  )
}

function TextPage({ value, words, format, emptyText }: TextPageProps) {
  if (value === '') {
    return (
      <p className="m-auto flex flex-col items-center gap-3 text-14 text-muted">
        <FileText aria-hidden className="size-10" />
        <span>{emptyText}</span>
      </p>
    )
  }
  const sheet =
    'h-fit w-full max-w-reading min-w-0 rounded-control border border-border bg-surface-raised p-5 text-14 sm:p-8'
  // search words are marked in the plain text only
  if (format === 'markdown' && words === '') {
    return (
      <article className={sheet}>
        <NoteMarkdown text={value} />
      </article>
    )
  }
  return (
    <div className={classNames(sheet, 'leading-relaxed whitespace-pre-wrap', format === 'code' && 'font-mono')}>
      <MarkedText text={value} words={words} />
    </div>
  )
}

interface TextPageProps {
  value: string
  words: string
  format: ReturnType<typeof formatOf>
  emptyText: ReactNode
}

type DocumentStageProps = {
  item: MediaDetailJson
  pageIndex: number
  onPage: (index: number) => void
  /** Words to mark. */
  words: string
}
