import type { FilesData } from '@mira/shared'
import { Link } from 'react-router-dom'
import { clock, type Format, useFormat } from '../../../lib/format.ts'
import { type Text, useText } from '../../../lib/i18n.ts'
import { pageWords } from '../../../lib/page-words.ts'
import { MediaIcon } from '../../../ui/media-icon.tsx'
import { Cell, HeaderCell, Row, RowHeaderCell, Table } from '../../../ui/table.tsx'
import { ThumbhashImage } from '../../../ui/thumbhash-image.tsx'

type FileItem = FilesData['items'][number]

/** Items from the user's memory, each with a link. */
export function FileList({ answer: { items, totals, action }, output }: { answer: FilesData; output: string }) {
  const text = useText('agents')
  const format = useFormat()
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {totals !== undefined && totals.length > 0 && <Totals totals={totals} />}
      {items.length === 0 && totals === undefined && (
        <p className="text-14 text-muted">{action === 'counted' ? output : text('files.none')}</p>
      )}
      {items.length > 0 && (
        <ul className="grid gap-2 sm:grid-cols-2">
          {items.map((item) => (
            <li
              key={`${item.id} ${item.page ?? ''} ${item.timestamp_seconds ?? ''} ${item.snippet ?? ''}`}
              className="relative flex min-w-0 gap-3 rounded-card border border-border bg-surface-raised p-2.5 transition-colors hover:border-border-strong has-[a:focus-visible]:outline-2 has-[a:focus-visible]:outline-focus"
            >
              <div className="relative size-16 shrink-0 overflow-hidden rounded-control border border-border bg-surface-sunken">
                <ThumbhashImage
                  src={item.thumbnail}
                  hash={null}
                  alt=""
                  fit="cover"
                  // pages say what they are at their top
                  className={item.media_type === 'document' ? '[&_img]:object-top' : undefined}
                  fallback={
                    <span className="grid size-full place-items-center text-muted">
                      <MediaIcon type={item.media_type} className="size-6" />
                    </span>
                  }
                />
              </div>
              <div className="min-w-0 flex-1">
                <h3 className="truncate text-14 font-medium">
                  <Link to={item.url} title={item.title} className="outline-none after:absolute after:inset-0">
                    {item.title}
                  </Link>
                </h3>
                {item.snippet !== null && <p className="line-clamp-2 text-13 break-words text-muted">{item.snippet}</p>}
                <p className="mt-0.5 flex flex-wrap gap-x-2 text-12 text-muted">
                  {factsOf(item, text, format).map((fact) => (
                    <span key={fact}>{fact}</span>
                  ))}
                </p>
              </div>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function factsOf(item: FileItem, text: Text<'agents'>, format: Format): string[] {
  return [
    text(`mediaTypes.${item.media_type}`),
    item.page === undefined ? null : text('files.page', pageWords(item.page, item.page_kind, item.page_title)),
    item.timestamp_seconds === undefined ? null : clock(item.timestamp_seconds),
    item.size_bytes === null ? null : format.bytes(item.size_bytes),
    format.shownDay({ ...item, timestamp: item.created_at }),
  ].filter((fact) => fact !== null)
}

function Totals({ totals }: { totals: NonNullable<FilesData['totals']> }) {
  const text = useText('agents')
  const format = useFormat()
  return (
    <div className="overflow-hidden rounded-card border border-border bg-surface-raised">
      <Table label={text('files.totals')}>
        <thead>
          <tr>
            <HeaderCell>{text('files.type')}</HeaderCell>
            <HeaderCell align="right">{text('files.count')}</HeaderCell>
            <HeaderCell align="right">{text('files.size')}</HeaderCell>
          </tr>
        </thead>
        <tbody>
          {totals.map(({ media_type: type, count, size_bytes: size }) => (
            <Row key={type ?? 'all'}>
              <RowHeaderCell>{type === null ? text('files.all') : text(`mediaTypes.${type}`)}</RowHeaderCell>
              <Cell align="right">{format.number(count)}</Cell>
              <Cell align="right">{format.bytes(size)}</Cell>
            </Row>
          ))}
        </tbody>
      </Table>
    </div>
  )
}
