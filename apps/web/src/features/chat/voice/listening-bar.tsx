import { Check, FolderPlus, Mic, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { clock } from '../../../lib/format.ts'
import { useText } from '../../../lib/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import type { DictationState } from './use-dictation.ts'

const BARS = 24
const TICK_MS = 250

/** Lies over the composer while it listens and writes: how loud it is, how long, and how to end it. Escape cancels. */
export function ListeningBar({ state, canKeep, onFinish, onKeep, onCancel }: ListeningBarProps) {
  const text = useText('voice')
  const isListening = state.step === 'listening'
  const done = useRef<HTMLButtonElement>(null)
  const cancel = useRef(onCancel)
  cancel.current = onCancel

  useEffect(() => {
    const handle = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      event.preventDefault()
      event.stopPropagation()
      cancel.current()
    }
    window.addEventListener('keydown', handle, { capture: true })
    return () => window.removeEventListener('keydown', handle, { capture: true })
  }, [])
  useEffect(() => {
    if (isListening) done.current?.focus()
  }, [isListening])

  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset draws a border and a legend
    <div
      role="group"
      aria-label={text('bar')}
      className="absolute inset-0 z-10 flex min-w-0 items-center gap-2 rounded-card bg-field px-2 sm:gap-3 sm:px-3"
    >
      <IconButton name={text('cancel')} icon={<X aria-hidden />} onClick={onCancel} />
      <div className="flex min-w-0 flex-1 items-center gap-2 sm:gap-3">
        <p role="status" className="sr-only">
          {text(`steps.${state.step === 'idle' ? 'asking' : state.step}`)}
        </p>
        {isListening ? (
          <>
            <Mic aria-hidden className="size-4.5 shrink-0 text-danger-text" />
            {state.level ? (
              <LevelMeter level={state.level} />
            ) : (
              <span className="min-w-0 flex-1 truncate text-14">{text('steps.listening')}</span>
            )}
            <Elapsed since={state.startedAt} />
          </>
        ) : (
          <>
            <Spinner size="sm" />
            <span aria-hidden className="truncate text-14 text-muted">
              {text(`steps.${state.step === 'idle' ? 'asking' : state.step}`)}
            </span>
          </>
        )}
      </div>
      {isListening && state.canKeep && canKeep && (
        <IconButton name={text('note.keep')} icon={<FolderPlus aria-hidden />} onClick={onKeep} />
      )}
      {isListening && (
        <Button ref={done} variant="primary" icon={<Check aria-hidden />} onClick={onFinish}>
          {text('done')}
        </Button>
      )}
    </div>
  )
}

/** The loudness of the last seconds, the newest at the right. */
function LevelMeter({ level }: { level: () => number }) {
  const text = useText('voice')
  const bars = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const levels = new Array<number>(BARS).fill(0)
    let frame = 0
    let count = 0
    const draw = () => {
      frame = requestAnimationFrame(draw)
      // so that the eye can follow
      if (count++ % 4 !== 0) return
      levels.push(level())
      levels.shift()
      const children = bars.current?.children ?? []
      for (const [index, one] of levels.entries()) {
        const bar = children[index]
        if (bar instanceof HTMLElement) bar.style.scale = `1 ${Math.max(0.1, one)}`
      }
    }
    draw()
    return () => cancelAnimationFrame(frame)
  }, [level])
  return (
    <div
      ref={bars}
      role="img"
      aria-label={text('level')}
      className="flex h-8 min-w-0 flex-1 items-center justify-end gap-[3px] overflow-hidden"
    >
      {Array.from({ length: BARS }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: bars never move
        <span key={index} className="h-full w-1 shrink-0 origin-center scale-y-10 rounded-full bg-accent" />
      ))}
    </div>
  )
}

function Elapsed({ since }: { since: number }) {
  const [now, setNow] = useState(since)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  return <span className="shrink-0 text-13 text-muted tabular-nums">{clock((now - since) / 1000)}</span>
}

export type ListeningBarProps = {
  state: DictationState
  /** True when the user may save the recording. */
  canKeep: boolean
  onFinish: () => void
  onKeep: () => void
  onCancel: () => void
}
