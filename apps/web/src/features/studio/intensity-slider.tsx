import { INTENSITY_MAX, INTENSITY_MIN, INTENSITY_STEP } from '@mira/shared/constants/limits'
import { type CSSProperties, useId } from 'react'
import { useFormat } from '../../lib/format/format.ts'
import { useText } from '../../lib/i18n/i18n.ts'
import { classNames } from '../../ui/class-names.ts'
import './range.css'

/** Strength of an effect: 0.1 to 2.0, where 1.0 is its standard look. */
export function IntensitySlider({ label, labelHidden = false, hint, value, onValueChange, className }: IntensityProps) {
  const text = useText('effects')
  const format = useFormat()
  const id = useId()
  const level = value < 0.7 ? 'subtle' : value > 1.3 ? 'intense' : 'normal'
  return (
    <div className={classNames('min-w-0', className)}>
      <div className={labelHidden ? 'sr-only' : 'flex items-baseline justify-between gap-3 text-13'}>
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        <output htmlFor={id} className="tabular-nums">
          {format.number(value, 1)}
        </output>
      </div>
      <input
        id={id}
        type="range"
        min={INTENSITY_MIN}
        max={INTENSITY_MAX}
        step={INTENSITY_STEP}
        value={value}
        aria-valuetext={`${format.number(value, 1)}, ${text(`intensity.${level}`)}`}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={({ target }) => onValueChange(Number(target.value))}
        className="effect-range block h-6 w-full cursor-pointer rounded-full pointer-coarse:h-11"
        style={{ '--filled': (value - INTENSITY_MIN) / (INTENSITY_MAX - INTENSITY_MIN) } as CSSProperties}
      />
      {!labelHidden && (
        <div aria-hidden className="relative flex justify-between text-12 text-muted">
          <span>{text('intensity.subtle')}</span>
          {/* Under the slider's 1.0, which is a little left of the middle. */}
          <span className="absolute left-[47.5%] -translate-x-1/2">{text('intensity.normal')}</span>
          <span>{text('intensity.intense')}</span>
        </div>
      )}
      {hint && (
        <p id={`${id}-hint`} className="mt-1 text-12 text-muted">
          {hint}
        </p>
      )}
    </div>
  )
}

type IntensityProps = {
  label: string
  labelHidden?: boolean
  hint?: string
  value: number
  onValueChange: (value: number) => void
  className?: string
}
