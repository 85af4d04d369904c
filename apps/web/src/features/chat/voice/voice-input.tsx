import { can } from '@mira/shared/access'
import { Check, FolderPlus, Mic, X } from 'lucide-react'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { readStored, writeStored } from '../../../lib/browser/browser-storage.ts'
import { assistantName } from '../../../lib/browser/page-meta.ts'
import { clock } from '../../../lib/format/format.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useUser } from '../../../lib/session/session.ts'
import { Button } from '../../../ui/button.tsx'
import { useConfirm } from '../../../ui/confirm-dialog.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { Spinner } from '../../../ui/spinner.tsx'
import { useCurrentIfMounted } from '../../../ui/use-close-if-mounted.ts'
import { useCapabilities, useFetchCapabilities } from '../use-capabilities.ts'
import { hasRecogniser } from './recogniser.ts'
import { type DictationEngine, type DictationState, type DictationTrouble, useDictation } from './use-dictation.ts'
import { prepareVoiceNote, useSaveVoiceNote } from './voice-note.ts'

/** Focuses the message field at its end, after the next render, which puts the dictated text into the field. */
export function focusEndOf(field: RefObject<HTMLTextAreaElement | null>): void {
  requestAnimationFrame(() => {
    const { current } = field
    current?.focus()
    current?.setSelectionRange(current.value.length, current.value.length)
  })
}

/** Explains a problem with dictation, and what to do about it, in a toast. */
export function useReportTrouble(): (trouble: DictationTrouble) => void {
  const text = useText('voice')
  const errorText = useErrorText()
  return (trouble) => {
    if (typeof trouble === 'object') {
      showToast({ title: text('failed'), description: errorText(trouble.error), tone: 'danger' })
      return
    }
    const params = { assistant: assistantName() }
    showToast({
      title: text(`trouble.${trouble}.title`),
      description: text(`trouble.${trouble}.text`, params),
      tone: trouble === 'nothing' ? 'info' : 'warning',
      durationMs: 10_000,
    })
  }
}

/** Chooses the dictation engine: the server, or else the browser if the user agrees; null when there's none. */
export function useChooseEngine(): (hasLeft: () => boolean) => Promise<DictationEngine | null> {
  const text = useText('voice')
  const user = useUser()
  const confirm = useConfirm()
  const capabilities = useCapabilities()
  const fetchCapabilities = useFetchCapabilities()
  const report = useReportTrouble()

  /** Asks every time until the user has agreed, because the browser's recogniser may send the audio elsewhere. */
  const mayUseBrowser = async (): Promise<boolean> => {
    const key = `voice-browser-${user.id}`
    if (readStored(key) === 'yes') return true
    const isAgreed = await confirm({
      question: text('consent.question'),
      detail: text('consent.detail'),
      confirmLabel: text('consent.yes'),
    })
    if (isAgreed) writeStored(key, 'yes')
    return isAgreed
  }

  /**
   * Checks the server again when its state is unknown or it was down, instead of switching to the browser's
   * recognition.
   */
  const canServerListen = async (): Promise<boolean> => {
    if (capabilities?.transcription) return true
    const now = await fetchCapabilities().catch(() => undefined)
    return now?.transcription ?? false
  }

  return async (hasLeft) => {
    const isServer = await canServerListen()
    if (hasLeft()) return null
    if (isServer) return 'server'
    if (hasRecogniser()) return (await mayUseBrowser()) ? 'browser' : null
    report('noEngine')
    return null
  }
}

const BAR_COUNT = 24
const TICK_MS = 250

/** Covers the composer during dictation, with the level, the duration and buttons to end it. Escape cancels. */
function ListeningBar({ state, canKeep, onFinish, onKeep, onCancel }: ListeningBarProps) {
  const text = useText('voice')
  const isListening = state.step === 'listening'
  const doneButton = useRef<HTMLButtonElement>(null)
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
    if (isListening) doneButton.current?.focus()
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
        <Button ref={doneButton} variant="primary" icon={<Check aria-hidden />} onClick={onFinish}>
          {text('done')}
        </Button>
      )}
    </div>
  )
}

/** Levels of the last seconds, the newest on the right. */
function LevelMeter({ level }: { level: () => number }) {
  const text = useText('voice')
  const bars = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const levels = new Array<number>(BAR_COUNT).fill(0)
    let frame = 0
    let count = 0
    const draw = () => {
      frame = requestAnimationFrame(draw)
      // Only every fourth frame changes the levels, which is slow enough for the eye to follow.
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
      {Array.from({ length: BAR_COUNT }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: bars never move
        <span key={index} className="h-full w-1 shrink-0 origin-center scale-y-10 rounded-full bg-accent" />
      ))}
    </div>
  )
}

function Elapsed({ since }: { since: number }) {
  const [now, setNow] = useState(since)
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  return <span className="shrink-0 text-13 text-muted tabular-nums">{clock((now - since) / 1000)}</span>
}

type ListeningBarProps = {
  state: DictationState
  /** True when the user may save the recording. */
  canKeep: boolean
  onFinish: () => void
  onKeep: () => void
  onCancel: () => void
}

/** A press longer than this is a hold; releasing the button then ends the dictation. */
const HOLD_MS = 400

/**
 * Button to click or hold for dictation and, during dictation, the bar over the composer. The text is added to the draft, so
 * that the user can check it before sending it.
 */
export function VoiceInput({ field, onText }: VoiceInputProps) {
  const text = useText('voice')
  const user = useUser()
  const report = useReportTrouble()
  const chooseEngine = useChooseEngine()
  const saveNote = useSaveVoiceNote()
  const pressedAt = useRef(0)
  const isShown = useCurrentIfMounted(true)

  const dictation = useDictation({
    onText: (transcript) => {
      onText(transcript)
      if (isShown.current) focusEndOf(field)
    },
    onTrouble: report,
  })
  if (!can(user, 'voice')) return null

  /** Starts dictation, unless the button was released or the screen left before the engine was chosen. */
  const begin = async (wasReleased = () => false) => {
    const hasLeft = () => !isShown.current || wasReleased()
    const engine = await chooseEngine(hasLeft)
    if (engine === null || hasLeft()) return
    if (engine === 'server' && can(user, 'upload')) prepareVoiceNote()
    await dictation.start(engine)
  }

  const press = () => {
    pressedAt.current = performance.now()
    let wasHeld = false
    const release = () => {
      window.removeEventListener('pointerup', release)
      window.removeEventListener('pointercancel', release)
      wasHeld = performance.now() - pressedAt.current > HOLD_MS
      if (wasHeld) void dictation.finish()
    }
    window.addEventListener('pointerup', release)
    window.addEventListener('pointercancel', release)
    void begin(() => wasHeld)
  }

  const saveRecording = async () => {
    const recording = await dictation.takeRecording()
    field.current?.focus()
    if (recording !== null) await saveNote(recording)
  }

  return (
    <>
      <IconButton
        name={text('speak')}
        icon={<Mic aria-hidden />}
        onPointerDown={(event) => {
          if (event.button === 0) press()
        }}
        // for keyboards and screen readers, which send no pointer events
        onClick={(event) => event.detail === 0 && void begin()}
        onContextMenu={(event) => event.preventDefault()}
        className="touch-none"
      />
      {dictation.state.step !== 'idle' && (
        <ListeningBar
          state={dictation.state}
          canKeep={can(user, 'upload')}
          onFinish={() => void dictation.finish()}
          onKeep={() => void saveRecording()}
          onCancel={() => {
            dictation.cancel()
            field.current?.focus()
          }}
        />
      )}
    </>
  )
}

type VoiceInputProps = {
  field: RefObject<HTMLTextAreaElement | null>
  /** Adds text to the draft, even after another conversation was opened. */
  onText: (transcript: string) => void
}
