import { Suspense } from 'react'
import { ErrorBoundary, type ErrorBoundaryProps } from './error-boundary.tsx'
import { isMissingPart } from './part-failures.ts'

/**
 * Shows what is loaded when it is needed; `fallback` stands there until it is, and when it does not come, of which a notice
 * says why.
 */
export const LaterPart = (props: Omit<ErrorBoundaryProps, 'takes'>) => (
  <ErrorBoundary {...props} takes={isMissingPart}>
    <Suspense fallback={props.fallback}>{props.children}</Suspense>
  </ErrorBoundary>
)
