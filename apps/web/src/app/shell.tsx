import type { ReactNode } from 'react'
import { later } from '../lib/loading/later.tsx'
import { LoadingScreen } from './loading-screen.tsx'

/** Frame of every signed-in screen, in a chunk of its own so that the sign-in screen loads faster. */
export const Shell = later<{ children: ReactNode }>(
  () => import('./signed-in-layout.tsx').then((module) => module.SignedInLayout),
  LoadingScreen,
)
