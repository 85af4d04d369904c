import type { MediaDetailJson, ProcessingStep, ProcessingStepName } from '@mira/shared'
import { CircleCheck, CircleDashed, CircleMinus, Loader, RotateCw, TriangleAlert } from 'lucide-react'
import { Reason } from '../../lib/components/reason.tsx'
import { useFormat } from '../../lib/format/format.ts'
import { useText } from '../../lib/i18n/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { Progress } from '../../ui/progress.tsx'
import { isProcessing, useReprocessing } from './use-item.ts'

/** Translated reason that a step has no result; `otherwise` when no reason is known. */
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

/** Steps whose result an AI engine produces; their engines are shown in the colour for AI. */
const aiSteps: readonly ProcessingStep['name'][] = ['read', 'caption', 'transcribe', 'embed', 'look']

const statusIcons = {
  completed: { Icon: CircleCheck, tone: 'text-success-text' },
  processing: { Icon: Loader, tone: 'animate-spin text-accent-text' },
  pending: { Icon: CircleDashed, tone: 'text-muted' },
  skipped: { Icon: CircleMinus, tone: 'text-muted' },
  failed: { Icon: TriangleAlert, tone: 'text-danger-text' },
}

/** Processing steps of an item with their engines and outcomes, and buttons to run them again. */
export function StepsPanel({ item }: { item: MediaDetailJson }) {
  const text = useText('gallery')
  const format = useFormat()
  const { requestedStep, run } = useReprocessing(item.id)
  const isItemProcessing = isProcessing(item)
  const engines = Object.entries(item.moments_by_engine)
  return (
    <div className="flex flex-col gap-5">
      <ol className="flex flex-col divide-y divide-border">
        {item.processing_steps.map((step) => (
          <li key={step.name} className="py-3 first:pt-0">
            <StepLine
              step={step}
              producer={item.engines[step.name]}
              isRequested={requestedStep === step.name}
              onRun={isItemProcessing ? undefined : () => void run(step.name)}
            />
          </li>
        ))}
      </ol>
      {engines.length > 0 && (
        <section aria-labelledby="found-by">
          <h2 id="found-by" className="mb-2 text-13 font-semibold">
            {text('steps.found')}
          </h2>
          <ul className="flex flex-col gap-1 text-13">
            {engines.map(([engine, count]) => (
              <li key={engine} className="flex justify-between gap-4">
                <span className="min-w-0 truncate text-muted">{engine}</span>
                <span className="tabular-nums">{format.number(count)}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <Button
        icon={<RotateCw aria-hidden />}
        loading={requestedStep === 'all'}
        disabled={isItemProcessing}
        onClick={() => void run('all')}
        className="self-start"
      >
        {text('steps.runAll')}
      </Button>
    </div>
  )
}

function StepLine({ step, producer, isRequested, onRun }: StepLineProps) {
  const text = useText('gallery')
  const { Icon, tone } = statusIcons[step.status]
  const name = text(`steps.name.${step.name}`)
  const engineNames = [producer?.engine ?? step.engine, producer?.model].filter(
    (part, index, all) => part && all.indexOf(part) === index,
  )
  return (
    <div className="flex items-start gap-3">
      <Icon aria-hidden className={`mt-0.5 size-4 shrink-0 ${tone}`} />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-baseline gap-x-2 text-14">
          <span className="font-medium">{name}</span>
          <span className="text-12 text-muted">{text(`steps.status.${step.status}`)}</span>
        </p>
        {engineNames.length > 0 && (
          <p
            className={classNames('text-12 wrap-anywhere', aiSteps.includes(step.name) ? 'text-ai-text' : 'text-muted')}
          >
            {engineNames.join(' · ')}
          </p>
        )}
        {step.error && (
          <p className="mt-0.5 text-13 wrap-anywhere text-muted">
            <Reason error={step.error} sentences={step.error_told} />
          </p>
        )}
        {step.status === 'processing' && (
          <Progress
            label={name}
            labelHidden
            value={step.progress > 0 ? Math.round(step.progress * 100) : null}
            className="mt-2"
          />
        )}
      </div>
      {onRun && (
        <IconButton
          name={text('steps.run', { step: name })}
          icon={<RotateCw aria-hidden />}
          size="sm"
          loading={isRequested}
          onClick={onRun}
        />
      )}
    </div>
  )
}

type StepLineProps = {
  step: ProcessingStep
  /** Engine and model that produced the step's result. */
  producer: { engine: string; model: string | null } | undefined
  isRequested: boolean
  /** Undefined while the item is being processed. */
  onRun?: () => void
}
