import type { ReactNode } from 'react'
import { later } from '../lib/later.tsx'
import { LoadingScreen } from './loading-screen.tsx'

/** What lies around every screen of a signed-in person. The sign-in screen needs none of its code, so that comes sooner. */
export const Shell = later<{ children: ReactNode }>(
  () => import('./signed-in-layout.tsx').then((module) => module.SignedInLayout),
  LoadingScreen,
)
