import type { MediaChanges, MediaDetailJson } from '@mira/shared'
import type { ReactNode } from 'react'
import { clock, useFormat } from '../../lib/format.ts'
import { useText } from '../../lib/i18n.ts'
import { TagEditor } from './tag-editor.tsx'
import { TakenPlace, TakenTime } from './taken-rows.tsx'

/** Tags of an item, and what its file tells of itself. */
export function DetailsPanel({ item, onChange }: DetailsPanelProps) {
  const text = useText('gallery')
  const format = useFormat()
  const { metadata } = item
  const rows: [label: string, value: ReactNode][] = [
    [text('details.name'), metadata.original_filename],
    [text('details.type'), `${text(`type.${item.media_type}`)} (${metadata.content_type})`],
    [text('details.size'), format.bytes(metadata.size_bytes)],
  ]
  const address = metadata.source?.url
  if (address) {
    rows.push([
      text('details.address'),
      <a
        key="address"
        href={address}
        target="_blank"
        rel="noopener noreferrer"
        className="text-accent-text underline underline-offset-2"
      >
        {address}
      </a>,
    ])
  }
  if (metadata.width && metadata.height) {
    rows.push([text('details.dimensions'), `${metadata.width} × ${metadata.height}`])
  }
  if (item.duration !== null) rows.push([text('details.duration'), clock(item.duration)])
  if (metadata.pages !== null) rows.push([text('details.pages'), format.number(metadata.pages)])
  rows.push([text('details.taken'), <TakenTime key="taken" item={item} />])
  rows.push([text('details.added'), format.dateTime(metadata.created_at)])
  if (item.source_gone_at !== null) {
    rows.push([text('details.sourceGone'), text('details.goneSince', { time: format.dateTime(item.source_gone_at) })])
  }
  if (metadata.camera !== null) rows.push([text('details.camera'), metadata.camera])
  rows.push([text('details.place'), <TakenPlace key="place" item={item} />])
  const own = Object.entries(metadata.details)
  return (
    <div className="flex flex-col gap-6">
      <TagEditor tags={item.tags} suggested={item.suggested_tags} onSave={(tags) => onChange({ tags })} />
      <DetailList rows={rows} />
      {own.length > 0 && (
        <section aria-labelledby="own-details">
          <h2 id="own-details" className="mb-2 text-13 font-semibold">
            {text('details.own')}
          </h2>
          <DetailList rows={own.map(([name, value]) => [name.replaceAll('_', ' '), String(value)])} />
        </section>
      )}
    </div>
  )
}

function DetailList({ rows }: { rows: readonly [label: string, value: ReactNode][] }) {
  return (
    <dl className="grid grid-cols-[minmax(6rem,auto)_minmax(0,1fr)] gap-x-4 gap-y-2 text-13">
      {rows.map(([label, value]) => (
        <div key={label} className="contents">
          <dt className="text-muted first-letter:uppercase">{label}</dt>
          <dd className="min-w-0 wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

type DetailsPanelProps = { item: MediaDetailJson; onChange: (changes: MediaChanges) => Promise<boolean> }
