import { Eye, EyeOff } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { classNames } from './class-names.ts'
import { controlClass, Field, type FieldProps } from './field.tsx'

/** Password field with a button to show or hide it. */
export function PasswordField({
  label,
  labelHidden,
  hint,
  error,
  className,
  id,
  showLabel,
  hideLabel,
  ...input
}: PasswordFieldProps) {
  const [isShown, setIsShown] = useState(false)
  const Icon = isShown ? EyeOff : Eye
  return (
    <Field label={label} labelHidden={labelHidden} hint={hint} error={error} className={className} id={id}>
      {(control) => (
        <div className="relative">
          <input
            autoCapitalize="none"
            spellCheck={false}
            {...input}
            {...control}
            type={isShown ? 'text' : 'password'}
            className={classNames(controlClass, 'h-10 touch-target pr-11')}
          />
          <button
            type="button"
            aria-label={isShown ? hideLabel : showLabel}
            aria-controls={control.id}
            disabled={input.disabled}
            onClick={() => setIsShown(!isShown)}
            className="absolute inset-y-0 right-0 grid w-10 place-items-center rounded-control text-muted hover:text-text focus-visible:-outline-offset-2 pointer-coarse:w-11"
          >
            <Icon aria-hidden className="size-4.5" />
          </button>
        </div>
      )}
    </Field>
  )
}

export type PasswordFieldProps = FieldProps &
  Omit<ComponentProps<'input'>, keyof FieldProps | 'type'> & { showLabel: string; hideLabel: string }
