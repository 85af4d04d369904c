import { lazy, type ReactNode, Suspense } from 'react'
import { LoadingScreen } from './loading-screen.tsx'

// The sign-in screen needs none of it, so it comes sooner.
const SignedInLayout = lazy(() =>
  import('./signed-in-layout.tsx').then((module) => ({ default: module.SignedInLayout })),
)

/** What lies around every screen of a signed-in person; its code is loaded when somebody is signed in. */
export function Shell({ children }: { children: ReactNode }) {
  return (
    <Suspense fallback={<LoadingScreen />}>
      <SignedInLayout>{children}</SignedInLayout>
    </Suspense>
  )
}
