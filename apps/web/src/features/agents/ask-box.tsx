import type { AgentView } from '@mira/shared'
import { useState } from 'react'
import { useText } from '../../lib/i18n.ts'
import { Card, CardHeader } from '../../ui/card.tsx'
import { CallInput } from './call-input.tsx'
import { CallOutcome } from './call-outcome.tsx'
import { useAgentCall } from './use-agent-call.ts'

/** Asks whichever agent is meant; when none is surely meant, the person chooses. */
export function AskBox({ agents }: { agents: AgentView[] }) {
  const text = useText('agents')
  const [input, setInput] = useState('')
  const { call, start, stop } = useAgentCall()
  return (
    <Card>
      <CardHeader title={text('ask.title')} description={text('ask.description')} />
      <div className="flex flex-col gap-4">
        <CallInput
          label={text('ask.label')}
          placeholder={text('ask.placeholder')}
          value={input}
          onChange={setInput}
          isRunning={call.step === 'running'}
          submitLabel={text('ask.submit')}
          onSubmit={() => start(null, input.trim())}
          onStop={stop}
        />
        <CallOutcome
          call={call}
          showsAgent
          choices={agents.filter(({ available }) => available).map(({ name }) => name)}
          onChoose={(agent) => start(agent, input.trim())}
        />
      </div>
    </Card>
  )
}
