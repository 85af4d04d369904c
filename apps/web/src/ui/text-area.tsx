import type { ComponentProps } from 'react'
import { classNames } from './class-names.ts'
import { controlClass, Field, type FieldProps } from './field.tsx'

/** Multi-line text field that grows with its text, up to a third of the window. */
export function TextArea({ label, labelHidden, hint, error, className, id, rows = 3, ...textArea }: TextAreaProps) {
  return (
    <Field label={label} labelHidden={labelHidden} hint={hint} error={error} className={className} id={id}>
      {(control) => (
        <textarea
          {...textArea}
          {...control}
          rows={rows}
          className={classNames(controlClass, 'field-sizing-content max-h-[33vh] min-h-20 py-2 leading-normal')}
        />
      )}
    </Field>
  )
}

export type TextAreaProps = FieldProps & Omit<ComponentProps<'textarea'>, keyof FieldProps>
