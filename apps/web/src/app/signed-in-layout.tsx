import { QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, useEffect, useLayoutEffect, useState } from 'react'
import { startUserEvents, useUserEvents } from '../lib/event-stream.ts'
import { useText } from '../lib/i18n.ts'
import { listenToShortcuts } from '../lib/keyboard.ts'
import { session, useUser } from '../lib/session.ts'
import { useIsPainted } from '../ui/use-is-painted.ts'
import { CommandPalette } from './command-palette.tsx'
import { GoShortcuts } from './go-shortcuts.tsx'
import { ItemPeeks } from './item-peeks.tsx'
import { NavBar } from './nav-bar.tsx'
import { OfflineBar } from './offline-bar.tsx'
import { createQueryClient } from './query-client.ts'
import { Shortcuts } from './shortcuts.tsx'

const queryClient = createQueryClient()

/** Frame of every signed-in screen: top bar, keyboard shortcuts, query cache and server events. */
export function SignedInLayout({ children }: { children: ReactNode }) {
  const text = useText('app')
  const { id } = useUser()
  const [isMenuOpen, setIsMenuOpen] = useState(false)

  // the stream of events takes a connection from what the screen shows first
  const isPainted = useIsPainted()
  useEffect(() => (isPainted ? startUserEvents(id) : undefined), [id, isPainted])
  // before anything of it can be seen: a key that is pressed then is heard
  useLayoutEffect(() => listenToShortcuts(), [])
  useUserEvents((event) => {
    if (event.type !== 'account.updated' && event.type !== 'events.resumed') return
    session.refresh().catch((error) => console.error('The account could not be fetched again', error))
  })

  return (
    <QueryClientProvider client={queryClient}>
      <a
        href="#main"
        className="fixed top-2 left-2 z-50 -translate-y-20 rounded-control bg-accent px-4 py-2.5 text-14 font-medium text-on-accent focus:translate-y-0"
      >
        {text('skip')}
      </a>
      <NavBar isMenuOpen={isMenuOpen} onMenuOpenChange={setIsMenuOpen} />
      <OfflineBar />
      <main id="main" tabIndex={-1} inert={isMenuOpen} className="outline-none">
        <ItemPeeks>{children}</ItemPeeks>
      </main>
      <GoShortcuts />
      <Shortcuts />
      <CommandPalette />
    </QueryClientProvider>
  )
}
