import type { MediaDetailJson } from '@mira/shared'
import type { DocumentBlock, DocumentPage } from '@mira/shared/constants/media'
import { useQuery } from '@tanstack/react-query'
import { FileText } from 'lucide-react'
import { useState } from 'react'
import { fetchDocumentPreview } from '../../lib/api/library.ts'
import { LoadFailed } from '../../lib/components/query-list.tsx'
import { useFormat } from '../../lib/format/format.ts'
import { useText } from '../../lib/i18n/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { LoadingRegion, SkeletonText } from '../../ui/skeleton.tsx'
import { MarkedText } from './marked-text.tsx'
import { isProcessing } from './use-item.ts'

/** Rows of a table shown at first; the button below the table adds five times as many. */
const ROWS_AT_ONCE = 200
const sheet =
  'h-fit w-full max-w-page min-w-0 rounded-control border border-border bg-surface-raised p-5 text-14 leading-relaxed sm:p-8'

/** True for documents shown as their extracted text, headings and tables, rather than as pictures of their pages. */
export function hasDocumentView({ preview_url, metadata }: MediaDetailJson): boolean {
  const { content_type: type } = metadata
  return preview_url !== null && type !== 'application/pdf' && !type.startsWith('text/plain')
}

/** A sheet, slide, chapter or email of a document, or the whole document: text, headings and tables, without scripts. */
export function DocumentView({ item, page, storedText, words }: DocumentViewProps) {
  const text = useText('gallery')
  const app = useText('app')
  const query = useQuery({
    queryKey: ['media', item.id, 'paper'],
    queryFn: ({ signal }) => fetchDocumentPreview(item.id, signal),
    // an item's file never changes
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (query.isPending && storedText !== '') {
    // about as high as the content, so that the layout below hardly shifts
    return (
      <article aria-busy className={sheet}>
        <p className="mx-auto max-w-reading whitespace-pre-wrap wrap-anywhere">{storedText}</p>
      </article>
    )
  }
  if (query.isPending) {
    return (
      <LoadingRegion label={app('common.loading')} className="w-full max-w-reading p-6">
        <SkeletonText lines={8} />
      </LoadingRegion>
    )
  }
  if (query.isLoadingError) return <LoadFailed query={query} className="m-auto p-6" />
  const currentPage = query.data.pages.find(({ number }) => number === page)
  const isLast = query.data.pages.at(-1)?.number === page
  if (!currentPage || currentPage.blocks.length === 0) {
    const isLeftOut = query.data.is_cut && !currentPage
    return (
      <p className="m-auto flex max-w-reading flex-col items-center gap-3 p-4 text-center text-14 text-muted">
        <FileText aria-hidden className="size-10" />
        {text(isProcessing(item) ? 'document.noPages' : isLeftOut ? 'document.cut' : 'document.empty')}
      </p>
    )
  }
  return (
    <article className={sheet}>
      <Blocks key={page} page={currentPage} words={words} />
      {query.data.is_cut && isLast && <p className="mt-6 text-13 text-muted">{text('document.cut')}</p>}
    </article>
  )
}

function Blocks({ page, words }: { page: DocumentPage; words: string }) {
  return (
    <div className="mx-auto flex max-w-reading flex-col gap-3">
      {page.blocks.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the blocks of a document are never reordered
        <Block key={index} block={block} words={words} />
      ))}
    </div>
  )
}

function Block({ block, words }: { block: DocumentBlock; words: string }) {
  switch (block.kind) {
    case 'heading':
      return (
        // always `h2`, below the screen's own heading: levels in documents have gaps
        <h2 className={classNames('mt-3 font-semibold wrap-anywhere', block.level === 1 ? 'text-20' : 'text-16')}>
          <MarkedText text={block.text} words={words} />
        </h2>
      )
    case 'rows':
      return <Rows rows={block.rows} words={words} />
    case 'fields':
      return <Fields fields={block.fields} words={words} />
    case 'item':
      return (
        <p className="flex gap-2 whitespace-pre-wrap wrap-anywhere">
          <span aria-hidden>•</span>
          <span className="min-w-0">
            <MarkedText text={block.text} words={words} />
          </span>
        </p>
      )
    default:
      return (
        <p className="whitespace-pre-wrap wrap-anywhere">
          <MarkedText text={block.text} words={words} />
        </p>
      )
  }
}

function Rows({ rows, words }: { rows: string[][]; words: string }) {
  const text = useText('gallery')
  const [count, setCount] = useState(ROWS_AT_ONCE)
  const columnCount = rows.reduce((max, row) => Math.max(max, row.length), 0)
  const hiddenCount = rows.length - count
  return (
    <div className="min-w-0">
      <section
        aria-label={text('document.table')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable with the keyboard
        tabIndex={0}
        className="overflow-x-auto rounded-control border border-border"
      >
        <table className="w-full border-collapse text-13 tabular-nums">
          <tbody>
            {rows.slice(0, count).map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a table are never reordered
              <tr key={index} className="border-b border-border last:border-b-0">
                {Array.from({ length: columnCount }, (_, column) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: nor are its columns
                  <td key={column} className="border-r border-border px-2.5 py-1.5 align-top last:border-r-0">
                    <MarkedText text={row[column] ?? ''} words={words} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {hiddenCount > 0 && (
        <Button variant="ghost" size="sm" className="mt-2" onClick={() => setCount(count + 5 * ROWS_AT_ONCE)}>
          {text('document.moreRows', { count: Math.min(hiddenCount, 5 * ROWS_AT_ONCE) })}
        </Button>
      )}
    </div>
  )
}

function Fields({ fields, words }: { fields: Extract<DocumentBlock, { kind: 'fields' }>['fields']; words: string }) {
  const text = useText('gallery')
  const format = useFormat()
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 border-b border-border pb-3 text-13">
      {fields.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{text(`document.fields.${name}`)}</dt>
          <dd className="min-w-0 wrap-anywhere">
            {(name === 'date' || name === 'created') && /^\d{4}-\d\d-\d\dT/.test(value) ? (
              format.dateTime(value)
            ) : (
              <MarkedText text={value} words={words} />
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}

type DocumentViewProps = {
  item: MediaDetailJson
  page: number
  /** Known part of the page's text, shown until the full text has loaded. */
  storedText: string
  words: string
}
