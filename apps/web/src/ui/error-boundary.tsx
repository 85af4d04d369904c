import { Component, type ErrorInfo, type ReactNode } from 'react'

export type ErrorBoundaryProps = {
  /** A new value renders the children again. */
  resetKey?: string | boolean
  /** Selects the errors handled here; others go to the boundary above. Handles all when absent. */
  handles?: (error: unknown) => boolean
  fallback?: ReactNode | ((error: unknown) => ReactNode)
  onError?: () => void
  children: ReactNode
}

type ErrorBoundaryState = { failure: { error: unknown } | null }

/** Shows `fallback` in place of children that threw. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { failure: null }

  static getDerivedStateFromError(error: unknown): ErrorBoundaryState {
    return { failure: { error } }
  }

  override componentDidCatch(error: Error, { componentStack }: ErrorInfo) {
    console.error('A part of the page crashed', error, componentStack)
    this.props.onError?.()
  }

  override componentDidUpdate(before: ErrorBoundaryProps) {
    if (this.state.failure && before.resetKey !== this.props.resetKey) this.setState({ failure: null })
  }

  override render() {
    const { handles = () => true, fallback, children } = this.props
    const { failure } = this.state
    if (failure === null) return children
    if (!handles(failure.error)) throw failure.error
    return typeof fallback === 'function' ? fallback(failure.error) : fallback
  }
}
