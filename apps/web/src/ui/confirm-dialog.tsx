import { createContext, lazy, type ReactNode, Suspense, use, useCallback, useRef, useState } from 'react'
import type { ConfirmQuestion } from './confirm-panel.tsx'
import { ErrorBoundary } from './error-boundary.tsx'

const ConfirmPanel = lazy(() => import('./confirm-panel.tsx').then((module) => ({ default: module.ConfirmPanel })))

type Ask = (question: ConfirmQuestion) => Promise<boolean>

const ConfirmContext = createContext<Ask | null>(null)

/** Renders the dialog of `useConfirm`; used once, around the app. */
export function ConfirmProvider({ cancelLabel, children }: { cancelLabel: string; children: ReactNode }) {
  const [question, setQuestion] = useState<ConfirmQuestion | null>(null)
  const [isOpen, setIsOpen] = useState(false)
  const resolveQuestion = useRef<((isConfirmed: boolean) => void) | undefined>(undefined)

  const answer = useCallback((isConfirmed: boolean) => {
    resolveQuestion.current?.(isConfirmed)
    resolveQuestion.current = undefined
    setIsOpen(false)
  }, [])

  const ask = useCallback<Ask>(
    (next) => {
      answer(false)
      setQuestion(next)
      setIsOpen(true)
      return new Promise((resolve) => {
        resolveQuestion.current = resolve
      })
    },
    [answer],
  )

  return (
    <ConfirmContext value={ask}>
      {children}
      {question && (
        <ErrorBoundary resetKey={isOpen} onError={() => answer(false)}>
          <Suspense>
            <ConfirmPanel {...question} cancelLabel={cancelLabel} open={isOpen} onAnswer={answer} />
          </Suspense>
        </ErrorBoundary>
      )}
    </ConfirmContext>
  )
}

/**
 * A function that asks and resolves to true for yes, false for no, Escape or a newer question.
 *
 * @throws Error outside a `ConfirmProvider`.
 */
export function useConfirm(): Ask {
  const ask = use(ConfirmContext)
  if (!ask) throw new Error('useConfirm needs a ConfirmProvider around it')
  return ask
}
