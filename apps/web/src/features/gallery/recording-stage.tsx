import type { MediaDetailJson } from '@mira/shared'
import { AudioLines } from 'lucide-react'
import type { RefObject } from 'react'
import { clock } from '../../lib/format.ts'
import { useText } from '../../lib/i18n.ts'
import { useStore } from '../../lib/store.ts'
import { ThumbhashImage } from '../../ui/thumbhash-image.tsx'
import { CannotPlay, playerEvents, usePlayableSource } from './film-stage.tsx'
import type { Player } from './player.ts'
import { isWorkedOn } from './use-item.ts'
import { waveBars } from './wave-bars.ts'

const STEP_SECONDS = 5
const PAGE_SECONDS = 30
const BARS = 160

/** A recording: its loudness to jump in, the browser's own player, and its cover where it has one. */
export function RecordingStage({ item, player }: { item: MediaDetailJson; player: Player }) {
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
          <CannotPlay isWorkedOn={isWorkedOn(item)} />
        </div>
      ) : (
        <audio
          ref={player.element as RefObject<HTMLAudioElement | null>}
          src={source.address}
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

/** The loudness of a recording from its start to its end; a press or the arrow keys go to a place in it. */
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
            // biome-ignore lint/suspicious/noArrayIndexKey: bars keep their places
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
