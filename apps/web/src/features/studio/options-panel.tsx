import type { EffectsAvailable } from '@mira/shared'
import { RESTYLE_PROMPT_MAX_CHARACTERS } from '@mira/shared/constants/limits'
import { ArrowDown, Sparkles, X } from 'lucide-react'
import { useRef, useState } from 'react'
import { useFormat } from '../../lib/format/format.ts'
import { useText } from '../../lib/i18n/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Progress } from '../../ui/progress.tsx'
import { TextArea } from '../../ui/text-area.tsx'
import { VisuallyHidden } from '../../ui/visually-hidden.tsx'
import { useEffectTexts } from './effects-queries.ts'
import { IntensitySlider } from './intensity-slider.tsx'
import type { EffectJob } from './use-effect-job.ts'
import type { Studio } from './use-studio.ts'

/** Options for applying the effects, and the button that applies them. */
export function OptionsPanel({ studio, available, className }: OptionsPanelProps) {
  const text = useText('effects')
  const { selection, chosenNames: effectNames, intensity, job, images } = studio
  const { mode } = selection
  const { source } = studio.picture
  const promptField = useRef<HTMLTextAreaElement>(null)
  const [isPromptMissing, setIsPromptMissing] = useState(false)
  const needsPrompt = effectNames.some((name) => available?.effects[name]?.requires_ai)

  const apply = () => {
    if (source === null) return
    const prompt = studio.prompt.trim()
    setIsPromptMissing(needsPrompt && prompt === '')
    if (needsPrompt && prompt === '') promptField.current?.focus()
    else void studio.apply(source, needsPrompt ? prompt : null)
  }
  return (
    <Card className={classNames('flex flex-col gap-4', className)}>
      <div className="flex flex-col items-start gap-2">
        <Checkbox
          label={text('options.batch')}
          checked={mode === 'batch'}
          onCheckedChange={(isOn) => studio.setMode(isOn ? 'batch' : 'one')}
        />
        <Checkbox
          label={text('options.stack')}
          checked={mode === 'stack'}
          onCheckedChange={(isOn) => studio.setMode(isOn ? 'stack' : 'one')}
        />
      </div>
      <IntensitySlider
        label={text('intensity.label')}
        hint={mode === 'stack' ? text('intensity.stackHint') : undefined}
        value={intensity}
        onValueChange={studio.setIntensity}
      />
      {needsPrompt && (
        <TextArea
          ref={promptField}
          label={text('options.prompt')}
          hint={text('options.promptHint')}
          error={isPromptMissing && studio.prompt.trim() === '' ? text('options.promptMissing') : undefined}
          maxLength={RESTYLE_PROMPT_MAX_CHARACTERS}
          value={studio.prompt}
          onChange={({ target }) => studio.setPrompt(target.value)}
        />
      )}
      <div
        className={
          source
            ? 'flex flex-col gap-2 max-lg:fixed max-lg:inset-x-0 max-lg:bottom-0 max-lg:z-20 max-lg:border-t max-lg:bg-surface-raised max-lg:px-4 max-lg:pt-3 max-lg:pb-[max(0.75rem,env(safe-area-inset-bottom))]'
            : 'flex flex-col gap-2'
        }
      >
        {job && <JobProgress job={job} available={available} />}
        <div className="flex gap-2">
          <Button
            variant="primary"
            size="lg"
            className="min-w-0 flex-1"
            icon={<Sparkles aria-hidden />}
            loading={job !== null}
            disabled={source === null || effectNames.length === 0}
            onClick={apply}
          >
            {job
              ? text('options.processing')
              : mode === 'batch'
                ? text('options.applySeveral', { count: effectNames.length })
                : text('options.apply')}
          </Button>
          {job && (
            <Button size="lg" icon={<X aria-hidden />} onClick={studio.cancel}>
              {text('options.cancel')}
            </Button>
          )}
        </div>
        {images.length > 0 && !job && (
          <a
            href="#processed-images"
            className="inline-flex items-center justify-center gap-1.5 text-13 font-medium text-accent-text max-lg:min-h-8 lg:hidden"
          >
            <ArrowDown aria-hidden className="size-4" />
            {text('results.title', { count: images.length })}
          </a>
        )}
        {(source === null || effectNames.length === 0) && !job && (
          <p className="text-center text-12 text-muted">
            {text(source === null ? 'options.needsPicture' : 'options.needsEffect')}
          </p>
        )}
      </div>
    </Card>
  )
}

/** Progress of the job; screen readers announce each quarter. */
function JobProgress({ job, available }: { job: EffectJob; available: EffectsAvailable | null }) {
  const text = useText('effects')
  const format = useFormat()
  const effectTexts = useEffectTexts()
  const { progress, effectName, doneCount, total } = job
  const effect = Object.entries(available?.effects ?? {}).find(([name]) => name === effectName)
  const label = effect
    ? effectTexts.name(effect[0] as Parameters<typeof effectTexts.name>[0], effect[1])
    : text('options.preparing')
  const percent = progress === null ? null : progress * 100
  const quarter = percent === null ? 0 : Math.floor(percent / 25) * 25
  return (
    <div>
      <Progress
        label={label}
        value={percent}
        detail={
          percent === null
            ? undefined
            : total > 1
              ? text('options.doneOf', {
                  done: Math.min(doneCount + 1, total),
                  total,
                  percent: format.percent(percent, 0),
                })
              : format.percent(percent, 0)
        }
      />
      <VisuallyHidden>
        <span role="status">{quarter > 0 ? format.percent(quarter, 0) : text('options.preparing')}</span>
      </VisuallyHidden>
    </div>
  )
}

type OptionsPanelProps = { studio: Studio; available: EffectsAvailable | null; className?: string }
