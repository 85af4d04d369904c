import { CircleAlert } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { classNames } from './class-names.ts'

/** Props that every field passes to the frame around its control. */
export type FieldProps = {
  label: string
  /** Hides the label visually, for fields that are clear from their context. */
  labelHidden?: boolean
  hint?: ReactNode
  /** Validation message; marks the control invalid and is announced. */
  error?: ReactNode
  className?: string
}

/** Attributes that tie a control to its label, hint and error. */
export type FieldControl = { id: string; 'aria-invalid': true | undefined; 'aria-describedby': string | undefined }

/** Classes shared by all text controls. */
export const controlClass = classNames(
  'w-full min-w-0 rounded-control border border-border-strong bg-field px-3 text-14 text-text transition-colors pointer-coarse:text-16',
  'hover:border-muted focus-visible:border-focus focus-visible:outline-offset-0',
  'aria-invalid:border-danger disabled:cursor-not-allowed disabled:opacity-55',
  '[&[readonly]]:border-border-float [&[readonly]]:bg-hover',
)

/** Form field with label, hint and error; `children` renders the control. */
export function Field({ label, labelHidden, hint, error, className, id, children }: FieldWrapperProps) {
  const ownId = useId()
  const controlId = id ?? ownId
  const hintId = `${controlId}-hint`
  const errorId = `${controlId}-error`
  const described = [hint ? hintId : undefined, error ? errorId : undefined].filter(Boolean).join(' ')
  return (
    <div className={classNames('flex min-w-0 flex-col gap-1.5', className)}>
      <label htmlFor={controlId} className={labelHidden ? 'sr-only' : 'text-13 font-medium'}>
        {label}
      </label>
      {children({
        id: controlId,
        'aria-invalid': error ? true : undefined,
        'aria-describedby': described || undefined,
      })}
      {hint && (
        <p id={hintId} className="text-12 text-muted">
          {hint}
        </p>
      )}
      <div aria-live="polite" className="contents">
        {error && (
          <p id={errorId} className="flex items-start gap-1.5 text-12 text-danger-text">
            <CircleAlert aria-hidden className="mt-px size-3.5 shrink-0" />
            <span>{error}</span>
          </p>
        )}
      </div>
    </div>
  )
}

type FieldWrapperProps = FieldProps & { id?: string; children: (control: FieldControl) => ReactNode }
