import type { AgentView } from '@mira/shared'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useText } from '../../lib/i18n.ts'
import { Banner } from '../../ui/banner.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { isWriting, useAgentWords } from './agent-words.ts'
import { CallInput } from './call-input.tsx'
import { CallOutcome } from './call-outcome.tsx'
import { RunHistory } from './run-history.tsx'
import { useAgentCall } from './use-agent-call.ts'

/** The panel of one agent: calling it, what that comes to, and the calls before. */
export function RunDialog({ agent, command, reminders, onClose }: RunDialogProps) {
  const text = useText('app')
  const words = useAgentWords()
  // what it showed stays while it closes
  const [shown, setShown] = useState(agent)
  if (agent !== null && agent !== shown) setShown(agent)
  return (
    <Dialog
      open={agent !== null}
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={shown?.name ?? ''}
      description={shown ? words(shown).description : undefined}
      closeLabel={text('common.close')}
      size="lg"
    >
      {shown && <RunPanel key={shown.name} agent={shown} command={command} reminders={reminders} />}
    </Dialog>
  )
}

function RunPanel({ agent, command, reminders }: { agent: AgentView; command: string | null; reminders?: ReactNode }) {
  const text = useText('agents')
  const { commands } = useAgentWords()(agent)
  const [input, setInput] = useState(command ?? '')
  const { call, start, stop } = useAgentCall()
  const { name, available, unavailable_reason: reason } = agent

  // an example of an agent that only tells is carried out at once
  const begin = useRef(() => {
    if (command !== null && available && !isWriting(name)) start(name, command)
  })
  useEffect(() => {
    begin.current()
  }, [])

  const run = (text: string) => {
    setInput(text)
    start(name, text)
  }
  return (
    <div className="flex flex-col gap-6">
      <div className="flex flex-col gap-4">
        {!available && (
          <Banner tone="warning" title={text('status.unavailable')}>
            {reason}
          </Banner>
        )}
        <CallInput
          label={text('call.label', { agent: name })}
          placeholder={commands[0]}
          value={input}
          onChange={setInput}
          isRunning={call.step === 'running'}
          isFirst
          submitLabel={text('call.run')}
          onSubmit={() => run(input.trim())}
          onStop={stop}
        />
        <CallOutcome call={call} />
      </div>
      {name === 'ReminderAgent' && reminders && (
        <section aria-labelledby="agent-reminders" className="flex flex-col gap-2 border-t border-border pt-5">
          <h3 id="agent-reminders" className="text-16 font-semibold">
            {text('reminders.yours')}
          </h3>
          {reminders}
        </section>
      )}
      <RunHistory agent={name} onRunAgain={run} />
    </div>
  )
}

export type RunDialogProps = {
  /** Null closes it. */
  agent: AgentView | null
  /** Put into the field, and carried out when the agent only tells. */
  command: string | null
  reminders?: ReactNode
  onClose: () => void
}
