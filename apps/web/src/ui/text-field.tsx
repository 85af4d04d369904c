import type { ComponentProps, ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { controlClass, Field, type FieldProps } from './field.tsx'

/** Single-line text field; passes native input attributes through. */
export function TextField({ label, labelHidden, hint, error, className, id, icon, ...input }: TextFieldProps) {
  return (
    <Field label={label} labelHidden={labelHidden} hint={hint} error={error} className={className} id={id}>
      {(control) => (
        <div className="relative">
          {icon && (
            <span
              aria-hidden
              className="pointer-events-none absolute inset-y-0 left-3 grid place-items-center text-muted [&_svg]:size-4"
            >
              {icon}
            </span>
          )}
          <input
            {...input}
            {...control}
            className={classNames(controlClass, 'h-10 touch-target', Boolean(icon) && 'pl-9')}
          />
        </div>
      )}
    </Field>
  )
}

export type TextFieldProps = FieldProps & Omit<ComponentProps<'input'>, keyof FieldProps> & { icon?: ReactNode }
