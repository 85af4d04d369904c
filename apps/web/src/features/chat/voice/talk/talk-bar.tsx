import { AudioLines, Ear, Mic, MicOff, PhoneOff, Volume2 } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { assistantName } from '../../../../lib/browser/page-meta.ts'
import { useErrorText } from '../../../../lib/i18n/error-text.ts'
import { useLanguage, useText } from '../../../../lib/i18n/i18n.ts'
import { type Store, useStore } from '../../../../lib/loading/store.ts'
import { Button } from '../../../../ui/button.tsx'
import { showToast } from '../../../../ui/show-toast.ts'
import { Spinner } from '../../../../ui/spinner.tsx'
import type { Conversation } from '../../conversation/conversation.ts'
import { useCapabilities } from '../../use-capabilities.ts'
import type { RecogniserTrouble } from '../recogniser.ts'
import { MicrophoneError } from '../recorder.ts'
import { NoVoiceError, transcribe } from '../speaker.ts'
import type { DictationEngine } from '../use-dictation.ts'
import { useReportTrouble } from '../voice-input.tsx'
import { wavOf } from './listener.ts'
import { startTalk, type Talk, type TalkState } from './talk.ts'

const SAMPLE_RATE = 16_000
const looks = {
  listening: { Icon: Ear, tone: 'text-muted' },
  hearing: { Icon: Mic, tone: 'text-danger-text' },
  speaking: { Icon: Volume2, tone: 'text-accent-text' },
  muted: { Icon: MicOff, tone: 'text-warning-text' },
}

/** Covers the composer during a talk, with its state and buttons to mute or end it. Escape ends it. */
export function TalkBar({ conversation, engine, onEnd }: TalkBarProps) {
  const text = useText('voice')
  const chat = useText('chat')
  const language = useLanguage()
  const errorText = useErrorText()
  const report = useReportTrouble()
  const capabilities = useCapabilities()
  const voice = capabilities?.speech ? 'server' : 'browser'
  const [talk, setTalk] = useState<Talk | null>(null)
  const group = useRef<HTMLDivElement>(null)

  const trouble = useEffectEvent((error: unknown) => {
    if (error instanceof NoVoiceError) {
      showToast({ title: text('read.failed'), description: text('read.noVoice'), tone: 'warning' })
    } else if (error instanceof MicrophoneError) report(error.trouble)
    else showToast({ title: text('talk.failed'), description: errorText(error), tone: 'danger' })
  })
  const onRecogniserFailed = useEffectEvent((reason: RecogniserTrouble) => {
    report(reason)
    onEnd()
  })
  const end = useEffectEvent(onEnd)
  const start = useEffectEvent((signal: AbortSignal) =>
    startTalk(
      {
        conversation,
        engine,
        voice,
        language,
        codeWord: chat('announce.code'),
        transcribe: async (samples, abortSignal) =>
          (await transcribe(wavOf(samples, SAMPLE_RATE), { language, signal: abortSignal })).text,
        onTrouble: trouble,
        onRecogniserFailed,
      },
      signal,
    ),
  )
  useEffect(() => {
    const opening = new AbortController()
    let mine: Talk | undefined
    start(opening.signal).then(
      (started) => {
        mine = started
        if (opening.signal.aborted) started.end()
        else setTalk(started)
      },
      (error: unknown) => {
        if (opening.signal.aborted) return
        trouble(error)
        end()
      },
    )
    const handle = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      event.preventDefault()
      event.stopPropagation()
      end()
    }
    window.addEventListener('keydown', handle, { capture: true })
    return () => {
      window.removeEventListener('keydown', handle, { capture: true })
      opening.abort()
      mine?.end()
    }
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first button is another one once it has begun
  useEffect(() => group.current?.querySelector('button')?.focus(), [talk])

  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset draws a border and a legend
    <div
      ref={group}
      role="group"
      aria-label={text('talk.bar', { assistant: assistantName() })}
      className="absolute inset-0 z-10 flex min-w-0 items-center gap-2 rounded-card bg-field px-3"
    >
      {talk === null ? <StepStatus step="preparing" /> : <Step state={talk.state} />}
      {talk !== null && <Mute talk={talk} />}
      <Button variant="danger" icon={<PhoneOff aria-hidden />} onClick={onEnd}>
        {text('talk.end')}
      </Button>
    </div>
  )
}

function Step({ state }: { state: Store<TalkState> }) {
  const { step, isMuted } = useStore(state)
  return <StepStatus step={isMuted && (step === 'listening' || step === 'hearing') ? 'muted' : step} />
}

function StepStatus({ step }: { step: TalkState['step'] | 'muted' }) {
  const text = useText('voice')
  const look = step === 'preparing' || step === 'thinking' ? null : looks[step]
  return (
    <p role="status" className="flex min-w-0 flex-1 items-center gap-2 text-14">
      {look === null ? <Spinner size="sm" /> : <look.Icon aria-hidden className={`size-5 shrink-0 ${look.tone}`} />}
      <span className="min-w-0 truncate">{text(`talk.steps.${step}`, { assistant: assistantName() })}</span>
      {step === 'speaking' && <AudioLines aria-hidden className="size-4 shrink-0 text-accent-text max-sm:hidden" />}
    </p>
  )
}

function Mute({ talk }: { talk: Talk }) {
  const text = useText('voice')
  const { isMuted } = useStore(talk.state)
  return (
    <Button
      icon={isMuted ? <MicOff aria-hidden /> : <Mic aria-hidden />}
      aria-pressed={isMuted}
      onClick={() => talk.setMuted(!isMuted)}
    >
      {text('talk.mute')}
    </Button>
  )
}

type TalkBarProps = { conversation: Conversation; engine: DictationEngine; onEnd: () => void }
