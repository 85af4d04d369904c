import type { MediaChanges, MediaDetailJson } from '@mira/shared'
import { partKindOf } from '@mira/shared/constants/formats'
import { NotebookPen, Pencil, Sparkles, Undo2 } from 'lucide-react'
import { memo, useEffect, useMemo, useRef, useState } from 'react'
import { Link } from 'react-router-dom'
import { clock } from '../../lib/format/format.ts'
import { pageTextValues, useText } from '../../lib/i18n/i18n.ts'
import { useStore } from '../../lib/loading/store.ts'
import { hasUnsavedDraft } from '../../lib/session/kept-drafts.ts'
import { notePath } from '../../lib/session/paths.ts'
import { Badge } from '../../ui/badge.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { classNames } from '../../ui/class-names.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { useInPlaceEditing } from '../../ui/use-in-place-editing.ts'
import { EditableText, EditedByUserBadge, TextEditor } from './editable-text.tsx'
import { hasWords } from './item-location.ts'
import { MarkedText } from './marked-text.tsx'
import { indexOfLastStart, type Player } from './player.ts'
import { StepReason } from './steps-panel.tsx'
import { isNote, isProcessing } from './use-item.ts'

/** Badge with the engine and model that produced a result. */
export function EngineBadge({ engine }: { engine: { engine: string; model: string | null } | undefined }) {
  if (!engine) return null
  return (
    <Badge tone="ai" icon={<Sparkles aria-hidden />}>
      {engine.model ?? engine.engine}
    </Badge>
  )
}

const SEGMENT_CHARACTERS = 10_000
/** Minimum number of segments for a search box above the transcript. */
const MIN_SEARCHED_SEGMENTS = 5

type Segment = MediaDetailJson['segments'][number]

/** Transcript that follows the playback; clicking a sentence plays from there. */
function Transcript({ itemId, segments, player, words, onSave, onRevert }: TranscriptProps) {
  const text = useText('gallery')
  const common = useText('app')
  const [search, setSearch] = useState('')
  const [isFollowing, setIsFollowing] = useState(true)
  const list = useRef<HTMLOListElement>(null)
  const starts = useMemo(() => segments.map(({ start }) => start), [segments])
  const current = segments[indexOfLastStart(starts, useStore(player.time))]?.id ?? null
  const query = search.trim()
  const matches = query === '' ? segments : segments.filter((segment) => hasWords(segment.text, query))

  useEffect(() => {
    const element = current === null ? null : list.current?.querySelector<HTMLElement>('[aria-current]')
    if (!isFollowing || !element || !list.current) return
    // Scrolls only the list, never the page.
    list.current.scrollTo({
      top: element.offsetTop - list.current.clientHeight / 3,
      behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth',
    })
  }, [current, isFollowing])

  return (
    <section aria-label={text('transcript.title')} className="flex min-h-0 flex-1 flex-col">
      <div className="flex min-h-9 items-center gap-2">
        <h2 className="text-13 font-semibold">{text('transcript.title')}</h2>
        <span className="ml-auto flex items-center gap-3">
          <Checkbox label={text('transcript.follow')} checked={isFollowing} onCheckedChange={setIsFollowing} />
          <CopyButton
            text={segments.map((segment) => segment.text).join('\n')}
            label={text('edit.copy')}
            copiedLabel={text('edit.copied')}
          />
        </span>
      </div>
      {segments.length >= MIN_SEARCHED_SEGMENTS && (
        <SearchField
          label={text('transcript.search')}
          placeholder={text('transcript.search')}
          clearLabel={common('common.clearSearch')}
          value={search}
          onValueChange={setSearch}
          className="mt-2"
        />
      )}
      <p role="status" className={query === '' ? 'sr-only' : 'mt-2 text-12 text-muted'}>
        {query !== '' && text('transcript.found', { count: matches.length })}
      </p>
      <ol
        ref={list}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable with the keyboard
        tabIndex={0}
        aria-label={text('transcript.title')}
        className="relative mt-2 -mx-2 max-h-[60dvh] min-h-0 flex-1 overflow-y-auto @4xl:max-h-none"
      >
        {matches.map((segment) => (
          <SegmentLine
            key={segment.id}
            itemId={itemId}
            segment={segment}
            isCurrent={segment.id === current}
            words={query || words}
            seek={player.seek}
            onSave={onSave}
            onRevert={onRevert}
          />
        ))}
      </ol>
    </section>
  )
}

const SegmentLine = memo(function SegmentLine({
  itemId,
  segment,
  isCurrent,
  words,
  seek,
  onSave,
  onRevert,
}: SegmentLineProps) {
  const text = useText('gallery')
  const draftKey = `segment.${itemId}.${segment.id}`
  const { isEditing, button, begin, end } = useInPlaceEditing(hasUnsavedDraft(draftKey))
  const [isReverting, setIsReverting] = useState(false)
  if (isEditing) {
    return (
      <li className="p-2">
        <TextEditor
          draftKey={draftKey}
          label={text('transcript.segment', { time: clock(segment.start) })}
          value={segment.text}
          maxLength={SEGMENT_CHARACTERS}
          isRequired
          onSave={(value) => onSave(segment.id, value)}
          onClose={end}
        />
      </li>
    )
  }
  return (
    <li
      aria-current={isCurrent || undefined}
      className={classNames(
        'group flex items-start rounded-control transition-colors [contain-intrinsic-size:auto_3rem] [content-visibility:auto]',
        isCurrent ? 'bg-accent-soft' : 'hover:bg-hover',
      )}
    >
      <button
        type="button"
        onClick={() => seek(segment.start, true)}
        className="flex min-h-11 min-w-0 flex-1 items-baseline gap-3 rounded-control px-2 py-2 text-left text-14 focus-visible:-outline-offset-2"
      >
        <span className="shrink-0 text-12 text-muted tabular-nums">{clock(segment.start)}</span>
        <span className="min-w-0">
          <MarkedText text={segment.text} words={words} />
          {segment.is_locked && (
            <span className="ml-2 inline-flex align-middle">
              <EditedByUserBadge />
            </span>
          )}
        </span>
      </button>
      {segment.is_locked && (
        <IconButton
          name={text('transcript.takeBack', { time: clock(segment.start) })}
          icon={<Undo2 aria-hidden />}
          size="sm"
          className="my-1 text-muted"
          loading={isReverting}
          onClick={async () => {
            setIsReverting(true)
            await onRevert(segment.id)
            setIsReverting(false)
          }}
        />
      )}
      <IconButton
        ref={button}
        name={text('transcript.edit', { time: clock(segment.start) })}
        icon={<Pencil aria-hidden />}
        size="sm"
        className="m-1 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100"
        onClick={begin}
      />
    </li>
  )
})

type SegmentLineProps = {
  segment: Segment
  isCurrent: boolean
  words: string
  seek: Player['seek']
} & Pick<TranscriptProps, 'itemId' | 'onSave' | 'onRevert'>
type TranscriptProps = {
  itemId: string
  segments: readonly Segment[]
  player: Player
  /** Words to mark. */
  words: string
  onSave: (segmentId: string, text: string) => Promise<boolean>
  /** Restores the engine's text. */
  onRevert: (segmentId: string) => Promise<unknown>
}

const TEXT_CHARACTERS = 1_000_000
const PAGE_CHARACTERS = 200_000

/** Text of an item: the transcript of a video or recording, the text of a document's page, or the text in an image. */
export function TextPanel({ item, player, words, pageIndex, onChange }: TextPanelProps) {
  const text = useText('gallery')
  const isItemProcessing = isProcessing(item)
  if (item.media_type === 'video' || item.media_type === 'audio') {
    return (
      <div className="flex min-h-0 flex-1 flex-col">
        {item.segments.length > 0 ? (
          <Transcript
            itemId={item.id}
            segments={item.segments}
            player={player}
            words={words}
            onSave={(id, value) => onChange({ segments: [{ id, text: value }] })}
            onRevert={(id) => onChange({ segments: [{ id, text: null }] })}
          />
        ) : (
          <p className="text-14 text-muted">
            {isItemProcessing ? (
              text('transcript.coming')
            ) : (
              <StepReason item={item} step="transcribe" otherwise={text('transcript.none')} />
            )}
          </p>
        )}
      </div>
    )
  }
  const engine = <EngineBadge engine={item.engines.read ?? item.engines.pages} />
  const page = item.pages[pageIndex]
  const pageParameters = page && pageTextValues(page.page, partKindOf(item.metadata.content_type), page.title)
  if (item.media_type === 'document' && page && pageParameters) {
    return (
      <EditableText
        key={page.page}
        draftKey={`page.${item.id}.${page.page}`}
        label={item.pages.length > 1 ? text('document.textOf', pageParameters) : text('panel.text')}
        value={page.text}
        isLocked={page.is_locked}
        emptyText={
          isItemProcessing ? (
            text('panel.textComing')
          ) : (
            <StepReason item={item} step="read" otherwise={text('document.noText', { kind: pageParameters.kind })} />
          )
        }
        words={words}
        maxLength={PAGE_CHARACTERS}
        onSave={(value) => onChange({ pages: [{ page: page.page, text: value }] })}
        onRevert={() => onChange({ pages: [{ page: page.page, text: null }] })}
      />
    )
  }
  if (isNote(item)) {
    return (
      <div className="flex flex-col items-start gap-3">
        <p className="text-14 text-muted">{text('note.hint')}</p>
        <Link to={notePath(item.id)} className={buttonClass({})}>
          <NotebookPen aria-hidden />
          {text('note.edit')}
        </Link>
      </div>
    )
  }
  return (
    <EditableText
      draftKey={`text.${item.id}`}
      label={text('panel.text')}
      value={item.extracted_text ?? item.content ?? ''}
      isLocked={item.locked.includes('extracted_text')}
      emptyText={
        isItemProcessing ? (
          text('panel.textComing')
        ) : (
          <StepReason item={item} step="read" otherwise={text('panel.noText')} />
        )
      }
      words={words}
      maxLength={TEXT_CHARACTERS}
      badge={item.extracted_text && engine}
      onSave={(value) => onChange({ extracted_text: value })}
      onRevert={() => onChange({ extracted_text: null })}
    />
  )
}

type TextPanelProps = {
  item: MediaDetailJson
  player: Player
  /** Words to mark. */
  words: string
  pageIndex: number
  onChange: (changes: MediaChanges) => Promise<boolean>
}
