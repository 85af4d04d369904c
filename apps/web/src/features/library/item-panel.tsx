import type { MediaDetailJson } from '@mira/shared'
import { Loader, TriangleAlert } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Reason } from '../../lib/components/reason.tsx'
import { clock } from '../../lib/format/format.ts'
import { useText } from '../../lib/i18n/i18n.ts'
import { useStore } from '../../lib/loading/store.ts'
import { classNames } from '../../ui/class-names.ts'
import { TabPanel, Tabs } from '../../ui/tabs.tsx'
import { DetailsPanel } from './details-panel.tsx'
import { EditableText } from './editable-text.tsx'
import { hasWords, type ItemLocation } from './item-location.ts'
import { MarkedText } from './marked-text.tsx'
import { indexOfLastStart, type Player } from './player.ts'
import { StepReason, StepsPanel } from './steps-panel.tsx'
import { EngineBadge, TextPanel } from './text-panel.tsx'
import { isProcessing, useItemChanges } from './use-item.ts'

/** The chapters of a long video or recording; a click plays from there. */
export function Chapters({ item, player, words }: ChaptersProps) {
  const text = useText('gallery')
  const starts = useMemo(() => item.chapters.map(({ start }) => start), [item.chapters])
  const current = indexOfLastStart(starts, useStore(player.time))
  const pictures = new Map(item.frames.map(({ frame_number, thumbnail }) => [frame_number, thumbnail]))

  return (
    <ol aria-label={text('chapters.title')} className="-mx-2 flex flex-col gap-1">
      {item.chapters.map(({ start, title, from, frame_number }, index) => {
        const picture = frame_number === null ? undefined : pictures.get(frame_number)
        return (
          <li
            key={start}
            aria-current={index === current || undefined}
            className={classNames(
              'rounded-control transition-colors',
              index === current ? 'bg-accent-soft' : 'hover:bg-hover',
            )}
          >
            <button
              type="button"
              onClick={() => player.seek(start, true)}
              className="flex min-h-11 w-full items-start gap-3 rounded-control p-2 text-left text-14 focus-visible:-outline-offset-2"
            >
              {picture !== undefined && (
                <img
                  src={picture}
                  alt=""
                  loading="lazy"
                  className="h-11 w-20 shrink-0 rounded-control border border-border object-cover"
                />
              )}
              <span className="min-w-0 flex-1">
                <span className="block break-words">
                  <MarkedText text={title} words={words} />
                </span>
                <span className="text-12 text-muted tabular-nums">
                  {clock(start)} · {text(`chapters.from.${from}`)}
                </span>
              </span>
            </button>
          </li>
        )
      })}
    </ol>
  )
}

type ChaptersProps = {
  item: MediaDetailJson
  player: Player
  /** Words to mark. */
  words: string
}

type Frame = MediaDetailJson['frames'][number]

/** The frames of a video that have text or a caption. */
function framesWithText({ frames }: Pick<MediaDetailJson, 'frames'>): Frame[] {
  return frames.filter((frame) => frame.extracted_text || frame.caption)
}

/** Text and descriptions from the frames of a video, each linked to its time. */
function OnScreenText({ frames, player, words }: OnScreenTextProps) {
  const text = useText('gallery')
  const current = indexOfLastStart(
    frames.map(({ timestamp_seconds }) => timestamp_seconds),
    useStore(player.time),
  )
  return (
    <ol aria-label={text('film.onScreen')} className="-mx-2">
      {frames.map((frame, index) => (
        <li key={frame.frame_number} aria-current={index === current || undefined}>
          <button
            type="button"
            onClick={() => player.seek(frame.timestamp_seconds)}
            className={classNames(
              'flex min-h-11 w-full items-baseline gap-3 rounded-control px-2 py-2 text-left text-14 focus-visible:-outline-offset-2',
              index === current ? 'bg-accent-soft' : 'hover:bg-hover',
            )}
          >
            <span className="shrink-0 text-12 text-muted tabular-nums">{clock(frame.timestamp_seconds)}</span>
            <span className="min-w-0 whitespace-pre-wrap">
              {frame.caption && <MarkedText text={frame.caption} words={words} />}
              {frame.caption && frame.extracted_text && '\n'}
              {frame.extracted_text && (
                <span className="text-muted">
                  <MarkedText text={frame.extracted_text} words={words} />
                </span>
              )}
            </span>
          </button>
        </li>
      ))}
    </ol>
  )
}

type OnScreenTextProps = {
  frames: readonly Frame[]
  player: Player
  /** Words to mark. */
  words: string
}

const CAPTION_CHARACTERS = 10_000
type Tab = 'text' | 'chapters' | 'screen' | 'details' | 'processing'

/** Information about an item: description, text or transcript, details and processing steps. */
export function ItemPanel({ item, player, location, pageIndex }: ItemPanelProps) {
  const text = useText('gallery')
  const change = useItemChanges(item.id)
  const [tab, setTab] = useState<Tab>(() => firstTab(item, location))
  const hasTranscript = item.media_type === 'video' || item.media_type === 'audio'
  const textFrames = framesWithText(item)
  const tabs: Tab[] = [
    'text',
    ...(item.chapters.length > 0 ? (['chapters'] as const) : []),
    ...(textFrames.length > 0 ? (['screen'] as const) : []),
    'details',
    'processing',
  ]
  const names: Record<Tab, string> = {
    text: hasTranscript ? text('panel.transcript') : text('panel.text'),
    chapters: text('chapters.title'),
    screen: text('film.onScreen'),
    details: text('panel.details'),
    processing: text('panel.processing'),
  }
  return (
    <aside
      aria-label={text('panel.label')}
      className="flex flex-col border-t border-border bg-surface-raised @4xl:min-h-0 @4xl:w-104 @4xl:shrink-0 @4xl:overflow-y-auto @4xl:border-t-0 @4xl:border-l"
    >
      <div className="px-5 pt-4 pb-3">
        <ItemState item={item} />
        <EditableText
          draftKey={`caption.${item.id}`}
          label={text('panel.caption')}
          value={item.caption ?? ''}
          isLocked={item.locked.includes('caption')}
          emptyText={
            isProcessing(item) ? (
              text('panel.captionComing')
            ) : (
              <>
                {text('panel.noCaption')} <StepReason item={item} step="caption" />
              </>
            )
          }
          words={location.words}
          maxLength={CAPTION_CHARACTERS}
          badge={item.caption && <EngineBadge engine={item.engines.caption} />}
          onSave={(caption) => change({ caption })}
          onRevert={() => change({ caption: null })}
        />
      </div>
      <Tabs
        label={text('panel.label')}
        tabs={tabs.map((value) => ({ value, label: names[value] }))}
        value={tab}
        onValueChange={setTab}
        className="flex flex-1 flex-col @4xl:min-h-80 [&>[role=tablist]]:px-3"
      >
        <TabPanel value="text" className="flex min-h-0 flex-1 flex-col px-5 pb-5">
          <TextPanel item={item} player={player} words={location.words} pageIndex={pageIndex} onChange={change} />
        </TabPanel>
        <TabPanel value="chapters" className="px-5 pb-6">
          <Chapters item={item} player={player} words={location.words} />
        </TabPanel>
        <TabPanel value="screen" className="px-5 pb-6">
          <OnScreenText frames={textFrames} player={player} words={location.words} />
        </TabPanel>
        <TabPanel value="details" className="px-5 pb-6">
          <DetailsPanel item={item} onChange={change} />
        </TabPanel>
        <TabPanel value="processing" className="px-5 pb-6">
          <StepsPanel item={item} />
        </TabPanel>
      </Tabs>
    </aside>
  )
}

/** Progress of the processing, or the reason for its failure. */
function ItemState({ item }: { item: MediaDetailJson }) {
  const text = useText('gallery')
  if (isProcessing(item)) {
    const doneCount = item.processing_steps.filter(
      ({ status }) => status !== 'pending' && status !== 'processing',
    ).length
    return (
      <p role="status" className="mb-3 flex items-center gap-2 rounded-control bg-accent-soft px-3 py-2 text-13">
        <Loader aria-hidden className="size-4 shrink-0 animate-spin text-accent-text" />
        <span>
          {text('panel.working', { done: doneCount, total: item.processing_steps.length })}
          {item.queue_position !== undefined && (
            <span className="block text-muted">{text('panel.queued', { position: item.queue_position })}</span>
          )}
        </span>
      </p>
    )
  }
  if (item.processing_status !== 'failed') return null
  return (
    <p role="alert" className="mb-3 flex items-start gap-2 rounded-control bg-danger-soft px-3 py-2 text-13">
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-danger-text" />
      <span className="min-w-0">
        <strong className="font-semibold">{text('panel.failed')}</strong>{' '}
        {item.error && <Reason error={item.error} sentences={item.error_told} />}
      </span>
    </p>
  )
}

/** The tab to open first. */
function firstTab(item: MediaDetailJson, location: ItemLocation): Tab {
  if (item.processing_status !== 'completed' && item.content === null && item.extracted_text === null) {
    if (item.segments.length === 0) return 'processing'
  }
  if (item.media_type === 'video' && framesWithText(item).length > 0) {
    const isSaid = item.segments.some((segment) => hasWords(segment.text, location.words))
    if (location.frame !== null || item.segments.length === 0 || (location.words !== '' && !isSaid)) return 'screen'
  }
  if (item.media_type !== 'image') return 'text'
  return location.words !== '' ? 'text' : 'details'
}

type ItemPanelProps = { item: MediaDetailJson; player: Player; location: ItemLocation; pageIndex: number }
