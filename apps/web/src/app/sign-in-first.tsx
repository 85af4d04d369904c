import { useEffect, useLayoutEffect } from 'react'
import { LoginPage } from '../features/users/login-page.tsx'
import { useText } from '../lib/i18n.ts'
import { loadAhead } from '../lib/load-ahead.ts'
import { paths } from '../lib/paths.ts'
import { useTitle } from '../lib/use-title.ts'
import { noteScreenShown } from './screens-shown.ts'

/** The sign-in screen as the first of all, without the code of any other; `loadNext` loads what comes after it. */
export function SignInFirst({ loadNext }: { loadNext: () => Promise<unknown> }) {
  const text = useText('app')
  useTitle(text('titles.login'))
  useLayoutEffect(() => window.history.replaceState(null, '', paths.login), [])
  useEffect(() => {
    noteScreenShown()
    return loadAhead(loadNext)
  }, [loadNext])
  return <LoginPage />
}
