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
import { useWhileShown } from '../../../ui/use-while-shown.ts'
import { useAskCapabilities, useCapabilities } from '../use-capabilities.ts'
import { hasRecogniser } from './recogniser.ts'
import { type DictationEngine, type DictationState, type DictationTrouble, useDictation } from './use-dictation.ts'

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

/** Chooses the dictation engine: the server, else the browser if the user agrees; null when there's none. */
export function useChooseEngine(): (hasLeft: () => boolean) => Promise<DictationEngine | null> {
  const text = useText('voice')
  const user = useUser()
  const confirm = useConfirm()
  const capabilities = useCapabilities()
  const askCapabilities = useAskCapabilities()
  const report = useReportTrouble()

  /** Asks until the user agrees, because the browser's recogniser may send the audio elsewhere. */
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
    const now = await askCapabilities().catch(() => undefined)
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

const BARS = 24
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
    const levels = new Array<number>(BARS).fill(0)
    let frame = 0
    let count = 0
    const draw = () => {
      frame = requestAnimationFrame(draw)
      // slow enough for the eye to follow
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

const extensions: Record<string, string> = { 'audio/webm': 'webm', 'audio/ogg': 'ogg', 'audio/mp4': 'm4a' }

/** File name of a voice note in local time: "Voice note 2026-11-20 19.50.webm". */
export function voiceNoteName(name: string, at: Date, contentType: string): string {
  const two = (part: number) => String(part).padStart(2, '0')
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${name} ${day} ${two(at.getHours())}.${two(at.getMinutes())}.${extensions[contentType] ?? 'webm'}`
}

/** A longer press is a hold: releasing it ends the dictation. */
const HOLD_MS = 400

/**
 * Button to click or hold for dictation, and the bar over the composer meanwhile. The text is added to the message, to be
 * checked before it's sent.
 */
export function VoiceInput({ field, onText }: VoiceInputProps) {
  const text = useText('voice')
  const user = useUser()
  const errorText = useErrorText()
  const report = useReportTrouble()
  const chooseEngine = useChooseEngine()
  const pressedAt = useRef(0)
  const isShown = useWhileShown(true)

  const dictation = useDictation({
    onText: (transcript) => {
      onText(transcript)
      if (!isShown.current) return
      // After the next render, which puts the text into the field and removes the bar over it.
      requestAnimationFrame(() => {
        const { current } = field
        current?.focus()
        current?.setSelectionRange(current.value.length, current.value.length)
      })
    },
    onTrouble: report,
  })
  if (!can(user, 'voice')) return null

  /** Starts dictation, unless the button was released or the screen left before the engine was chosen. */
  const begin = async (hasLetGo = () => false) => {
    const engine = await chooseEngine(() => !isShown.current || hasLetGo())
    if (engine !== null && isShown.current) await dictation.start(engine)
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

  const keep = async () => {
    const recording = await dictation.take()
    field.current?.focus()
    if (recording === null) return
    try {
      const file = new File([recording], voiceNoteName(text('note.name'), new Date(), recording.type), {
        type: recording.type,
      })
      // loaded on demand: recordings are rarely kept
      const { uploadFile } = await import('../../../lib/api/uploads.ts')
      await uploadFile(file, { keepPlace: false }, { onProgress: () => undefined })
      showToast({ title: text('note.kept'), description: text('note.keptText'), tone: 'success' })
    } catch (error) {
      showToast({ title: text('note.failed'), description: errorText(error), tone: 'danger' })
    }
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
          onKeep={() => void keep()}
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
  /** Adds text to the draft, also after another conversation was opened. */
  onText: (transcript: string) => void
}
