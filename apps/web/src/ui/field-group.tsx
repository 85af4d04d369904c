import { type ReactNode, useId } from 'react'

/** Labelled group of switches or checkboxes, in two columns if there's space. */
export function FieldGroup({ legend, error, children }: FieldGroupProps) {
  const id = useId()
  return (
    <fieldset
      className="rounded-control border border-border px-4 pt-2 pb-3.5"
      aria-describedby={error ? `${id}-error` : undefined}
    >
      <legend className="px-1 text-13 font-medium">{legend}</legend>
      <div className="grid gap-x-8 gap-y-3 sm:grid-cols-2">{children}</div>
      {error && (
        <p id={`${id}-error`} role="alert" className="mt-2 text-13 text-danger-text">
          {error}
        </p>
      )}
    </fieldset>
  )
}

export type FieldGroupProps = { legend: string; error?: string | undefined; children: ReactNode }
