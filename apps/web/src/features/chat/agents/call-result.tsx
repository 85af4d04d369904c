import { type ComponentProps, lazy } from 'react'
import { LaterPart } from '../../../ui/later-part.tsx'

/** Loads how results are shown: nobody has one before an agent was asked. */
export const loadResults = () => import('./results/agent-result.tsx')
const AgentResult = lazy(() => loadResults().then((module) => ({ default: module.AgentResult })))

/** Result of a call; plain text until the view for its kind has been loaded. */
export function CallResult(props: ComponentProps<typeof AgentResult>) {
  return (
    <LaterPart fallback={<p className="text-14 break-words whitespace-pre-wrap">{props.output}</p>}>
      <AgentResult {...props} />
    </LaterPart>
  )
}
