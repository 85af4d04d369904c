import type { MediaDetailJson, ProcessingStepName } from '@mira/shared'
import { Reason } from '../../lib/reason.tsx'

/** Why a step left nothing, for a person; `otherwise` where it does not say. */
export function StepReason({ item: { processing_steps }, step, otherwise = '' }: StepReasonProps) {
  const found = processing_steps.find(({ name }) => name === step)
  return found?.error ? <Reason error={found.error} told={found.error_told} /> : otherwise
}

type StepReasonProps = {
  item: Pick<MediaDetailJson, 'processing_steps'>
  step: ProcessingStepName
  otherwise?: string
}
