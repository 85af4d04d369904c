import type { MediaDetailJson } from '@mira/shared'
import { useMemo } from 'react'
import { clock } from '../../lib/format.ts'
import { useText } from '../../lib/i18n.ts'
import { useStore } from '../../lib/store.ts'
import { classNames } from '../../ui/class-names.ts'
import { MarkedText } from './marked-text.tsx'
import { lastStarted, type Player } from './player.ts'

/** The chapters of a long film or recording; a press plays from there. */
export function Chapters({ item, player, words }: ChaptersProps) {
  const text = useText('gallery')
  const starts = useMemo(() => item.chapters.map(({ start }) => start), [item.chapters])
  const current = lastStarted(starts, useStore(player.time))
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
  /** Words that are marked. */
  words: string
}
