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
const stepIcons = {
  listening: { Icon: Ear, tone: 'text-muted' },
  hearing: { Icon: Mic, tone: 'text-danger-text' },
  speaking: { Icon: Volume2, tone: 'text-accent-text' },
  muted: { Icon: MicOff, tone: 'text-warning-text' },
}

/** Bar that covers the composer during a talk, with the talk's state and buttons to mute or end it. Escape ends it. */
export function TalkBar({ conversation, engine, onEnd }: TalkBarProps) {
  const text = useText('voice')
  const chatText = useText('chat')
  const language = useLanguage()
  const errorText = useErrorText()
  const report = useReportTrouble()
  const capabilities = useCapabilities()
  const voice = capabilities?.speech ? 'server' : 'browser'
  const [talk, setTalk] = useState<Talk | null>(null)
  const group = useRef<HTMLDivElement>(null)

  const handleTrouble = useEffectEvent((error: unknown) => {
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
        codeWord: chatText('announce.code'),
        transcribe: async (samples, abortSignal) =>
          (await transcribe(wavOf(samples, SAMPLE_RATE), { language, signal: abortSignal })).text,
        onTrouble: handleTrouble,
        onRecogniserFailed,
      },
      signal,
    ),
  )
  useEffect(() => {
    const controller = new AbortController()
    let startedTalk: Talk | undefined
    start(controller.signal).then(
      (started) => {
        startedTalk = started
        if (controller.signal.aborted) started.end()
        else setTalk(started)
      },
      (error: unknown) => {
        if (controller.signal.aborted) return
        handleTrouble(error)
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
      controller.abort()
      startedTalk?.end()
    }
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first button changes once the talk has begun
  useEffect(() => group.current?.querySelector('button')?.focus(), [talk])

  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset draws a border and a legend
    <div
      ref={group}
      role="group"
      aria-label={text('talk.bar', { assistant: assistantName() })}
      className="absolute inset-0 z-10 flex min-w-0 items-center gap-2 rounded-card bg-field px-3"
    >
      {talk === null ? <StepStatus step="preparing" /> : <TalkStatus state={talk.state} />}
      {talk !== null && <MuteButton talk={talk} />}
      <Button variant="danger" icon={<PhoneOff aria-hidden />} onClick={onEnd}>
        {text('talk.end')}
      </Button>
    </div>
  )
}

function TalkStatus({ state }: { state: Store<TalkState> }) {
  const { step, isMuted } = useStore(state)
  return <StepStatus step={isMuted && (step === 'listening' || step === 'hearing') ? 'muted' : step} />
}

function StepStatus({ step }: { step: TalkState['step'] | 'muted' }) {
  const text = useText('voice')
  const icon = step === 'preparing' || step === 'thinking' ? null : stepIcons[step]
  return (
    <p role="status" className="flex min-w-0 flex-1 items-center gap-2 text-14">
      {icon === null ? <Spinner size="sm" /> : <icon.Icon aria-hidden className={`size-5 shrink-0 ${icon.tone}`} />}
      <span className="min-w-0 truncate">{text(`talk.steps.${step}`, { assistant: assistantName() })}</span>
      {step === 'speaking' && <AudioLines aria-hidden className="size-4 shrink-0 text-accent-text max-sm:hidden" />}
    </p>
  )
}

function MuteButton({ talk }: { talk: Talk }) {
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
