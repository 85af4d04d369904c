import { can } from '@mira/shared/access'
import { AudioLines } from 'lucide-react'
import { lazy, useState } from 'react'
import { useText } from '../../../../lib/i18n/i18n.ts'
import { useUser } from '../../../../lib/session/session.ts'
import { IconButton } from '../../../../ui/icon-button.tsx'
import { PartBoundary } from '../../../../ui/lazy-part.tsx'
import type { Conversation } from '../../conversation/conversation.ts'
import type { DictationEngine } from '../use-dictation.ts'
import { useChooseEngine } from '../voice-input.tsx'

const TalkBar = lazy(() => import('./talk-bar.tsx').then((module) => ({ default: module.TalkBar })))

/** Button to talk with the assistant instead of writing. */
export function TalkButton({ conversation, isBusy }: { conversation: Conversation; isBusy: boolean }) {
  const text = useText('voice')
  const user = useUser()
  const chooseEngine = useChooseEngine()
  const [engine, setEngine] = useState<DictationEngine | null>(null)
  if (!can(user, 'voice')) return null
  return (
    <>
      <IconButton
        name={text('talk.begin')}
        icon={<AudioLines aria-hidden />}
        disabled={isBusy}
        onClick={() => void chooseEngine(() => false).then(setEngine)}
      />
      {engine !== null && (
        <PartBoundary onError={() => setEngine(null)}>
          <TalkBar conversation={conversation} engine={engine} onEnd={() => setEngine(null)} />
        </PartBoundary>
      )}
    </>
  )
}
