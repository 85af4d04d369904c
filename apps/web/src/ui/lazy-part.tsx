import { type ComponentType, lazy, type ReactNode, Suspense, startTransition, useEffect, useState } from 'react'
import { ErrorBoundary, type ErrorBoundaryProps } from './error-boundary.tsx'

type Load<Props> = () => Promise<ComponentType<Props>>

const failures = new WeakSet<object>()

/** Marks the error of a chunk that couldn't be loaded. */
export function markMissingPart(error: object): void {
  failures.add(error)
}

/** True when the error comes from a chunk that couldn't be loaded, not from a bug. */
export function isMissingPart(error: unknown): boolean {
  return typeof error === 'object' && error !== null && failures.has(error)
}

/** Boundary of a lazily loaded part: shows `fallback` until the part is loaded, and if it can't be; `MissingPartNotice` reports that. */
export const PartBoundary = (props: PartBoundaryProps) => (
  <ErrorBoundary {...props} handles={isMissingPart}>
    <Suspense fallback={props.fallback}>{props.children}</Suspense>
  </ErrorBoundary>
)

type PartBoundaryProps = Omit<ErrorBoundaryProps, 'handles' | 'fallback'> & { fallback?: ReactNode }

/**
 * A component whose code is loaded when it's first shown.
 * @param Fallback gets the same props; shown until the code is loaded, and when it can't be
 */
export function lazyPart<Props extends object>(
  load: Load<Props>,
  Fallback: ComponentType<Props> = Nothing,
): ComponentType<Props> {
  const Part = lazy(async () => ({ default: (await load()) as ComponentType<object> }))
  return (props) => (
    <PartBoundary fallback={<Fallback {...props} />}>
      <Part {...props} />
    </PartBoundary>
  )
}

const Nothing = () => null

/**
 * Like `lazyPart`, for a whole screen: a failure goes to the error boundary around it. React's `lazy` delays the content that
 * replaces a fallback by up to 300 ms, at every level of a screen; this shows it immediately.
 */
export function lazyScreen<Props extends object = object>(
  load: Load<Props>,
  Fallback: ComponentType,
): ComponentType<Props> {
  let outcome: { Part: ComponentType<Props> } | { error: unknown } | undefined
  let loading: Promise<void> | undefined
  const loadOnce = () => {
    loading ??= load().then(
      (Part) => {
        outcome = { Part }
      },
      (error) => {
        outcome = { error }
      },
    )
    return loading
  }
  return function LazyScreen(props: Props) {
    const [current, setCurrent] = useState(() => {
      void loadOnce()
      return outcome
    })
    useEffect(() => {
      let isUnmounted = false
      void loadOnce().then(() => {
        if (!isUnmounted) startTransition(() => setCurrent(outcome))
      })
      return () => {
        isUnmounted = true
      }
    }, [])
    if (current === undefined) return <Fallback />
    if ('error' in current) throw current.error
    return <current.Part {...props} />
  }
}

/** Network silence after which the first screen, with its pictures, counts as loaded. */
const QUIET_MS = 1_000

/** Loads a part of the app once nothing else has been loaded for `QUIET_MS`; returns a function that cancels that. */
export function loadAhead(load: () => Promise<unknown>): () => void {
  const start = () => {
    stop()
    // The component that shows the part loads it again and reports a failure.
    if (navigator.onLine) load().catch(() => {})
  }
  let timer = setTimeout(start, QUIET_MS)
  const observer = new PerformanceObserver(() => {
    clearTimeout(timer)
    timer = setTimeout(start, QUIET_MS)
  })
  observer.observe({ type: 'resource' })
  const stop = () => {
    clearTimeout(timer)
    observer.disconnect()
  }
  return stop
}
