import type { MediaChanges, MediaDetailJson } from '@mira/shared'
import { Pencil, Undo2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { clock, useFormat } from '../../lib/format/format.ts'
import { useErrorText } from '../../lib/i18n/error-text.ts'
import { useText } from '../../lib/i18n/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { lazyDialog } from '../../ui/dialog.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { EditedByUserBadge } from './editable-text.tsx'
import { toGridItem } from './library-items.ts'
import { MapLink } from './place.tsx'
import { TagEditor } from './tag-editor.tsx'
import { type FactChanges, useFactChanges } from './use-fact-changes.ts'

const DateDialog = lazyDialog(() => import('./date-dialog.tsx').then((module) => module.DateDialog))
const PlaceDialog = lazyDialog(() => import('./place-dialog.tsx').then((module) => module.PlaceDialog))

/** Local time of capture, which the user can correct and restore. */
function TakenTime({ item }: { item: MediaDetailJson }) {
  const text = useText('gallery')
  const format = useFormat()
  const { taken_local: local, corrected } = item.metadata
  const isCorrected = corrected.includes('taken_at')
  return (
    <Fact
      item={item}
      label={text('details.taken')}
      value={local === null ? text('facts.unknown') : format.localDateTime(local)}
      isCorrected={isCorrected}
      Dialog={DateDialog}
      resetAction={isCorrected ? { label: text('facts.fileDate'), changes: { taken_at: null } } : null}
    />
  )
}

/** Place where an item was taken, which the user can correct, restore or remove. */
function TakenPlace({ item }: { item: MediaDetailJson }) {
  const text = useText('gallery')
  const { place, corrected } = toGridItem(item)
  const isCorrected = corrected.includes('place')
  const changes = { latitude: null, longitude: null }
  return (
    <Fact
      item={item}
      label={text('details.place')}
      value={place === null ? text('facts.unknown') : <MapLink place={place} />}
      isCorrected={isCorrected}
      Dialog={PlaceDialog}
      resetAction={place && { label: text(isCorrected ? 'facts.filePlace' : 'facts.removePlace'), changes }}
    />
  )
}

function Fact({ item, label, value, isCorrected, Dialog, resetAction }: FactProps) {
  const text = useText('gallery')
  const errorText = useErrorText()
  const change = useFactChanges()
  const [isEditing, setIsEditing] = useState(false)
  const [isReverting, setIsReverting] = useState(false)
  const items = [toGridItem(item)]
  const undo = async (changes: FactChanges) => {
    setIsReverting(true)
    try {
      await change(items, changes)
    } catch (error) {
      console.error('Failed to undo a correction', error)
      showToast({ tone: 'danger', title: text('edit.failed'), description: errorText(error) })
    }
    setIsReverting(false)
  }
  return (
    <>
      <span className="flex flex-wrap items-center gap-x-2">
        {value}
        {isCorrected && <EditedByUserBadge />}
        <IconButton
          name={text('edit.edit', { label })}
          icon={<Pencil aria-hidden />}
          size="sm"
          className="-my-2"
          onClick={() => setIsEditing(true)}
        />
      </span>
      {resetAction && (
        <Button
          variant="ghost"
          size="sm"
          className="-ml-2.5 text-muted"
          icon={<Undo2 aria-hidden />}
          loading={isReverting}
          onClick={() => void undo(resetAction.changes)}
        >
          {resetAction.label}
        </Button>
      )}
      {isEditing && <Dialog items={items} onClose={() => setIsEditing(false)} />}
    </>
  )
}

type FactProps = {
  item: MediaDetailJson
  label: string
  value: ReactNode
  isCorrected: boolean
  Dialog: typeof DateDialog
  /** Restores the file's fact, or removes the fact; null when there's nothing to restore or remove. */
  resetAction: { label: string; changes: FactChanges } | null
}

/** Tags and file metadata of an item. */
export function DetailsPanel({ item, onChange }: DetailsPanelProps) {
  const text = useText('gallery')
  const format = useFormat()
  const { metadata } = item
  const rows: [label: string, value: ReactNode][] = [
    [text('details.name'), metadata.original_filename],
    [text('details.type'), `${text(`type.${item.media_type}`)} (${metadata.content_type})`],
    [text('details.size'), format.bytes(metadata.size_bytes)],
  ]
  const sourceUrl = metadata.source?.url
  if (sourceUrl) {
    rows.push([
      text('details.address'),
      <a
        key="address"
        href={sourceUrl}
        target="_blank"
        rel="noopener noreferrer"
        className="text-accent-text underline underline-offset-2"
      >
        {sourceUrl}
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
  const fileDetails = Object.entries(metadata.details)
  return (
    <div className="flex flex-col gap-6">
      <TagEditor tags={item.tags} suggested={item.suggested_tags} onSave={(tags) => onChange({ tags })} />
      <DetailList rows={rows} />
      {fileDetails.length > 0 && (
        <section aria-labelledby="own-details">
          <h2 id="own-details" className="mb-2 text-13 font-semibold">
            {text('details.own')}
          </h2>
          <DetailList rows={fileDetails.map(([name, value]) => [name.replaceAll('_', ' '), String(value)])} />
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
