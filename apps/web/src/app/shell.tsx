import type { ReactNode } from 'react'
import { lazyScreen } from '../ui/lazy-part.tsx'
import { LoadingScreen } from './loading-screen.tsx'

/** Frame of every signed-in screen, in a separate chunk so that the sign-in screen loads faster. */
export const Shell = lazyScreen<{ children: ReactNode }>(
  () => import('./signed-in-layout.tsx').then((module) => module.SignedInLayout),
  LoadingScreen,
)
