import type { MediaDetailJson } from '@mira/shared'
import { clock } from '../../lib/format.ts'
import { useText } from '../../lib/i18n.ts'
import { useStore } from '../../lib/store.ts'
import { classNames } from '../../ui/class-names.ts'
import { MarkedText } from './marked-text.tsx'
import { lastStarted, type Player } from './player.ts'

type Frame = MediaDetailJson['frames'][number]

/** The frames of a film in which something was read or described. */
export function framesWithText({ frames }: Pick<MediaDetailJson, 'frames'>): Frame[] {
  return frames.filter((frame) => frame.extracted_text || frame.caption)
}

/** Text and descriptions from the frames of a video, each linked to its time. */
export function OnScreen({ frames, player, words }: OnScreenProps) {
  const text = useText('gallery')
  const current = lastStarted(
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

type OnScreenProps = {
  frames: readonly Frame[]
  player: Player
  /** Words that are marked. */
  words: string
}
