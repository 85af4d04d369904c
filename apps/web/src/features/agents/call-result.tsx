import { type ComponentProps, lazy } from 'react'
import { LaterPart } from '../../ui/later-part.tsx'

/** Loads how results are shown: nobody has one before an agent was asked. */
export const loadResults = () => import('./results/agent-result.tsx')
const AgentResult = lazy(() => loadResults().then((module) => ({ default: module.AgentResult })))

/** What a call has come to; its words alone until the form of its kind has been loaded. */
export function CallResult(props: ComponentProps<typeof AgentResult>) {
  return (
    <LaterPart fallback={<p className="text-14 break-words whitespace-pre-wrap">{props.output}</p>}>
      <AgentResult {...props} />
    </LaterPart>
  )
}
