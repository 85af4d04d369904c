import type { MediaDetailJson } from '@mira/shared'
import { CircleAlert, Film } from 'lucide-react'
import { type RefObject, useEffect, useMemo, useState } from 'react'
import { clock } from '../../lib/format.ts'
import { useText } from '../../lib/i18n.ts'
import { useStore } from '../../lib/store.ts'
import { PictureStrip } from './picture-strip.tsx'
import { lastStarted, type Player } from './player.ts'
import { isWorkedOn } from './use-item.ts'

/** A film with the browser's own player, and its frames to jump to. */
export function FilmStage({ item, player }: { item: MediaDetailJson; player: Player }) {
  const text = useText('gallery')
  const source = usePlayableSource(item)
  const time = useStore(player.time)
  const { width, height } = item.metadata
  // what tells that it cannot be played is as large as the film, so that nothing moves
  const room = { aspectRatio: width && height ? `${width} / ${height}` : '16 / 9' }
  const starts = useMemo(() => item.frames.map(({ timestamp_seconds }) => timestamp_seconds), [item.frames])

  return (
    <div className="flex h-full min-h-0 flex-col gap-3 p-3 sm:p-5">
      <div className="relative flex min-h-0 flex-1 items-center justify-center overflow-hidden rounded-card bg-surface-sunken">
        {source.hasFailed ? (
          <div className="grid max-h-[55dvh] w-full place-items-center @4xl:max-h-full" style={room}>
            <CannotPlay isWorkedOn={isWorkedOn(item)} />
          </div>
        ) : (
          <video
            ref={player.element as RefObject<HTMLVideoElement | null>}
            src={source.address}
            poster={item.thumbnail ?? undefined}
            aria-label={item.metadata.original_filename}
            controls
            playsInline
            preload="metadata"
            {...playerEvents(player, source)}
            className="max-h-[55dvh] w-full @4xl:max-h-full"
            style={room}
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
            mark: clock(frame.timestamp_seconds),
          }))}
          current={lastStarted(starts, time)}
          width={136}
          height={78}
          fallback={<Film aria-hidden className="size-5" />}
          onSelect={(index) => player.seek(starts[index] ?? 0)}
        />
      )}
    </div>
  )
}

/** Event handlers that sync a media element with the player. Arrow keys stay with the element. */
export function playerEvents(player: Player, source: PlayableSource) {
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

/** Says why nothing plays, and whether that will change. */
export function CannotPlay({ isWorkedOn: isWorking }: { isWorkedOn: boolean }) {
  const text = useText('gallery')
  return (
    <p role="alert" className="flex max-w-sm items-start gap-2 p-6 text-14 text-muted">
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warning-text" />
      {isWorking ? text('film.notYet') : text('film.cannotPlay')}
    </p>
  )
}

/** Playable URL of a video or recording. */
export interface PlayableSource {
  address: string
  hasFailed: boolean
  onPlay: () => void
  onError: () => void
}

/** The copy that every browser plays, else the file itself; what plays is not exchanged while it does. */
export function usePlayableSource(item: MediaDetailJson): PlayableSource {
  const best = item.preview_url ?? item.url
  const [address, setAddress] = useState(best)
  const [hasPlayed, setHasPlayed] = useState(false)
  const [failed, setFailed] = useState<string | null>(null)
  const hasFailed = failed === address
  useEffect(() => {
    if (best !== address && (!hasPlayed || hasFailed)) setAddress(best)
  }, [best, address, hasPlayed, hasFailed])
  return { address, hasFailed, onPlay: () => setHasPlayed(true), onError: () => setFailed(address) }
}
