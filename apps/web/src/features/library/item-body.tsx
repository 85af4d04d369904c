import type { MediaDetailJson } from '@mira/shared'
import { AudioLines, CircleAlert, Film } from 'lucide-react'
import { type ReactNode, type RefObject, useEffect, useMemo, useState } from 'react'
import { clock } from '../../lib/format/format.ts'
import { useText } from '../../lib/i18n/i18n.ts'
import { useStore } from '../../lib/loading/store.ts'
import { ThumbhashImage } from '../../ui/thumbhash-image.tsx'
import { DocumentStage } from './document-stage.tsx'
import { type ItemLocation, locationOfWords } from './item-location.ts'
import { ItemPanel } from './item-panel.tsx'
import { PictureStage } from './picture-stage.tsx'
import { PictureStrip } from './picture-strip.tsx'
import { indexOfLastStart, type Player, usePlayer, waveBars } from './player.ts'
import { isProcessing } from './use-item.ts'

/** A video in the browser's own player, with a strip of its frames for seeking. */
function VideoStage({ item, player }: { item: MediaDetailJson; player: Player }) {
  const text = useText('gallery')
  const source = usePlayableSource(item)
  const time = useStore(player.time)
  const { width, height } = item.metadata
  // the error notice takes the video's size, so the layout doesn't shift
  const frameStyle = { aspectRatio: width && height ? `${width} / ${height}` : '16 / 9' }
  const starts = useMemo(() => item.frames.map(({ timestamp_seconds }) => timestamp_seconds), [item.frames])

  return (
    <div className="flex h-full min-h-0 flex-col gap-3 p-3 sm:p-5">
      <div className="relative flex min-h-0 flex-1 items-center justify-center overflow-hidden rounded-card bg-surface-sunken">
        {source.hasFailed ? (
          <div className="grid max-h-[55dvh] w-full place-items-center @4xl:max-h-full" style={frameStyle}>
            <UnplayableNotice item={item} />
          </div>
        ) : (
          <video
            ref={player.element as RefObject<HTMLVideoElement | null>}
            src={source.url}
            poster={item.thumbnail ?? undefined}
            aria-label={item.metadata.original_filename}
            controls
            playsInline
            preload="metadata"
            {...playerEvents(player, source)}
            className="max-h-[55dvh] w-full @4xl:max-h-full"
            style={frameStyle}
          />
        )}
      </div>
      {item.frames.length > 0 && (
        <PictureStrip
          label={text('film.frames')}
          entries={item.frames.map((frame) => ({
            key: frame.frame_number,
            picture: frame.thumbnail,
            name: [
              text('film.frame', { number: frame.frame_number, time: clock(frame.timestamp_seconds) }),
              frame.caption,
            ]
              .filter(Boolean)
              .join(': '),
            label: clock(frame.timestamp_seconds),
          }))}
          current={indexOfLastStart(starts, time)}
          width={136}
          height={78}
          fallback={<Film aria-hidden className="size-5" />}
          onSelect={(index) => player.seek(starts[index] ?? 0)}
        />
      )}
    </div>
  )
}

/** Event handlers that sync a media element with the player. Arrow keys pressed in the element don't reach the page's shortcuts. */
function playerEvents(player: Player, source: PlayableSource) {
  return {
    onLoadedMetadata: (event: React.SyntheticEvent<HTMLMediaElement>) => {
      const element = event.currentTarget
      if (element.currentTime === 0 && player.time.get() > 0) element.currentTime = player.time.get()
    },
    onTimeUpdate: (event: React.SyntheticEvent<HTMLMediaElement>) => player.time.set(event.currentTarget.currentTime),
    onSeeking: (event: React.SyntheticEvent<HTMLMediaElement>) => player.time.set(event.currentTarget.currentTime),
    onPlay: source.onPlay,
    onError: source.onError,
    onKeyDown: (event: React.KeyboardEvent) => {
      if (event.key.startsWith('Arrow')) event.stopPropagation()
    },
  }
}

/** Reason that nothing plays: still processing, or not playable in this browser. */
function UnplayableNotice({ item }: { item: MediaDetailJson }) {
  const text = useText('gallery')
  return (
    <p role="alert" className="flex max-w-sm items-start gap-2 p-6 text-14 text-muted">
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warning-text" />
      {isProcessing(item) ? text('film.notYet') : text('film.cannotPlay')}
    </p>
  )
}

/** URL of a video or recording, its error state, and the event handlers that keep it up to date. */
interface PlayableSource {
  url: string
  hasFailed: boolean
  onPlay: () => void
  onError: () => void
}

/** The copy that every browser can play, or else the file itself. After playback has started, the URL changes only if it failed. */
function usePlayableSource(item: MediaDetailJson): PlayableSource {
  const bestUrl = item.preview_url ?? item.url
  const [url, setUrl] = useState(bestUrl)
  const [hasPlayed, setHasPlayed] = useState(false)
  const [failedUrl, setFailedUrl] = useState<string | null>(null)
  const hasFailed = failedUrl === url
  useEffect(() => {
    if (bestUrl !== url && (!hasPlayed || hasFailed)) setUrl(bestUrl)
  }, [bestUrl, url, hasPlayed, hasFailed])
  return { url, hasFailed, onPlay: () => setHasPlayed(true), onError: () => setFailedUrl(url) }
}

const STEP_SECONDS = 5
const PAGE_SECONDS = 30
const BARS = 160

/** A recording in the browser's own player, with a waveform for seeking and its cover, if any. */
function RecordingStage({ item, player }: { item: MediaDetailJson; player: Player }) {
  const source = usePlayableSource(item)
  return (
    <div className="mx-auto flex h-full max-w-reading flex-col justify-center gap-5 p-4 sm:p-6">
      <div className="relative mx-auto grid aspect-square w-40 place-items-center overflow-hidden rounded-card bg-surface-sunken text-muted sm:w-56">
        <ThumbhashImage
          src={item.thumbnail}
          hash={item.thumbhash}
          alt=""
          fallback={
            <span className="absolute inset-0 grid place-items-center">
              <AudioLines aria-hidden className="size-14" />
            </span>
          }
        />
      </div>
      {item.waveform.length > 0 && item.duration !== null && item.duration > 0 && (
        <Waveform levels={item.waveform} duration={item.duration} player={player} />
      )}
      {source.hasFailed ? (
        <div className="mx-auto">
          <UnplayableNotice item={item} />
        </div>
      ) : (
        <audio
          ref={player.element as RefObject<HTMLAudioElement | null>}
          src={source.url}
          aria-label={item.metadata.original_filename}
          controls
          preload="metadata"
          {...playerEvents(player, source)}
          className="w-full"
        />
      )}
    </div>
  )
}

/** Waveform of a recording; a click or the arrow keys seek. */
function Waveform({ levels, duration, player }: { levels: readonly number[]; duration: number; player: Player }) {
  const text = useText('gallery')
  const time = Math.min(useStore(player.time), duration)
  const bars = waveBars(levels, BARS)
  const moveTo = (seconds: number) => player.seek(Math.max(0, Math.min(duration, seconds)))
  const seekTo = (event: React.PointerEvent) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    moveTo(((event.clientX - left) / width) * duration)
  }
  const onKeyDown = (event: React.KeyboardEvent) => {
    const targets: Record<string, number> = {
      ArrowLeft: time - STEP_SECONDS,
      ArrowDown: time - STEP_SECONDS,
      ArrowRight: time + STEP_SECONDS,
      ArrowUp: time + STEP_SECONDS,
      PageDown: time - PAGE_SECONDS,
      PageUp: time + PAGE_SECONDS,
      Home: 0,
      End: duration,
    }
    const target = targets[event.key]
    if (target === undefined) return
    event.preventDefault()
    moveTo(target)
  }
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={text('recording.position')}
      aria-valuemin={0}
      aria-valuemax={Math.round(duration)}
      aria-valuenow={Math.round(time)}
      aria-valuetext={text('recording.positionOf', { time: clock(time), total: clock(duration) })}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        seekTo(event)
      }}
      onPointerMove={(event) => event.buttons === 1 && seekTo(event)}
      className="cursor-pointer touch-none rounded-control"
    >
      <svg
        aria-hidden="true"
        viewBox={`0 0 ${BARS * 4} 100`}
        preserveAspectRatio="none"
        className="block h-24 w-full overflow-visible"
      >
        {bars.map((level, index) => (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: bars never move
            key={index}
            x={index * 4 + 0.5}
            y={50 - level * 48}
            width={3}
            height={level * 96}
            rx={1.5}
            className={(index + 0.5) / bars.length <= time / duration ? 'fill-accent' : 'fill-border-strong'}
          />
        ))}
      </svg>
      <div className="mt-1 flex justify-between text-12 text-muted tabular-nums">
        <span>{clock(time)}</span>
        <span>{clock(duration)}</span>
      </div>
    </div>
  )
}

const ignore = () => {}

/** The item itself, with its information beside it, or below it on a phone. */
export function ItemBody({ item, location: requested, onSwipe }: ItemBodyProps) {
  const { words, seconds, page, frame } = requested
  const hasLocation = [seconds, page, frame].some((part) => part !== null)
  const match = useMemo(
    () => (words === '' || hasLocation ? null : locationOfWords(item, words)),
    [item, words, hasLocation],
  )
  const location = { ...requested, ...match }
  const requestedFrame = item.frames.find(({ frame_number }) => frame_number === location.frame)
  const player = usePlayer(location.seconds ?? requestedFrame?.timestamp_seconds ?? 0)
  const [pageNumber, setPageNumber] = useState(location.page ?? 1)
  const pageIndex = Math.max(
    0,
    item.pages.findIndex(({ page }) => page === pageNumber),
  )
  const stages: Record<MediaDetailJson['media_type'], () => ReactNode> = {
    image: () => <PictureStage item={item} words={location.words} box={location.box} onSwipe={onSwipe ?? ignore} />,
    video: () => <VideoStage item={item} player={player} />,
    audio: () => <RecordingStage item={item} player={player} />,
    document: () => (
      <DocumentStage
        item={item}
        pageIndex={pageIndex}
        onPage={(index) => setPageNumber(item.pages[index]?.page ?? 1)}
        words={location.words}
      />
    ),
  }
  return (
    <div className="flex flex-col @4xl:min-h-0 @4xl:flex-1 @4xl:flex-row">
      <div className="min-w-0 @4xl:min-h-0 @4xl:flex-1">{stages[item.media_type]()}</div>
      <ItemPanel item={item} player={player} location={location} pageIndex={pageIndex} />
    </div>
  )
}

type ItemBodyProps = {
  item: MediaDetailJson
  /** Location to show first; if it only has search words, that's the place in the item with the most of them. */
  location: ItemLocation
  /** Handler for swipes over a picture; undefined when the item isn't shown in a list. */
  onSwipe?: (direction: 1 | -1) => void
}
