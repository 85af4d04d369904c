import type { ComponentProps } from 'react'
import { lazyPart } from '../../../ui/lazy-part.tsx'
import type { AgentResult } from './results/agent-result.tsx'

/** Loads the result views, which aren't needed before an agent is called. */
export const loadResultViews = () => import('./results/agent-result.tsx')

/** Result of a call; plain text until the view for its kind has been loaded. */
export const CallResult = lazyPart(
  () => loadResultViews().then((module) => module.AgentResult),
  ({ output }: ComponentProps<typeof AgentResult>) => (
    <p className="text-14 break-words whitespace-pre-wrap">{output}</p>
  ),
)
