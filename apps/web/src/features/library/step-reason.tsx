import type { MediaDetailJson, ProcessingStepName } from '@mira/shared'
import { Reason } from '../../lib/components/reason.tsx'

/** Translated reason for a step without a result; `otherwise` when it gives none. */
export function StepReason({ item: { processing_steps }, step, otherwise = '' }: StepReasonProps) {
  const processingStep = processing_steps.find(({ name }) => name === step)
  return processingStep?.error ? (
    <Reason error={processingStep.error} sentences={processingStep.error_told} />
  ) : (
    otherwise
  )
}

type StepReasonProps = {
  item: Pick<MediaDetailJson, 'processing_steps'>
  step: ProcessingStepName
  otherwise?: string
}
