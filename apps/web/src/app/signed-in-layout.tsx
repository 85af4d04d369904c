import { can } from '@mira/shared/access'
import { QueryClientProvider } from '@tanstack/react-query'
import { WifiOff } from 'lucide-react'
import {
  lazy,
  type ReactNode,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import { listenToShortcuts, useShortcut } from '../lib/browser/keyboard.ts'
import { useText, withTexts } from '../lib/i18n/i18n.ts'
import { useUserEvents } from '../lib/loading/event-stream.ts'
import { ItemPeekContext } from '../lib/session/navigation-state.ts'
import { pageShortcuts } from '../lib/session/paths.ts'
import { session, useUser } from '../lib/session/session.ts'
import { PartBoundary } from '../ui/lazy-part.tsx'
import { useIsPainted } from '../ui/use-is-painted.ts'
import { CommandPalette } from './command-palette.tsx'
import { NavBar } from './nav-bar.tsx'
import { mainLinks, mediaLinks } from './navigation.ts'
import { createQueryClient } from './query-client.tsx'
import { Shortcuts } from './shortcuts.tsx'

const ItemPeek = lazy(async () => {
  const { ItemPeek } = await withTexts(import('../features/library/item-peek.tsx'), 'gallery', 'errors')
  return { default: ItemPeek }
})

/** Router state of a history entry. */
interface PeekState {
  /** Address of the item shown beside the page. */
  peek?: string
}

/**
 * Lets the children show an item beside the page, for users who may see the gallery. The item is a history entry with the
 * page's own address, so that Back closes it and leaves the page as it was; it's also closed by opening another page.
 */
export function ItemPeeks({ children }: { children: ReactNode }) {
  const user = useUser()
  const navigate = useNavigate()
  const location = useLocation()
  const address = (location.state as PeekState | null)?.peek ?? null
  const returnTo = useRef<Element | null>(null)
  const latest = useRef({ location, navigate })
  useEffect(() => {
    latest.current = { location, navigate }
  })
  const show = useCallback((itemAddress: string) => {
    const { pathname, search, hash, state } = latest.current.location
    const isOpen = (state as PeekState | null)?.peek !== undefined
    if (!isOpen) returnTo.current = document.activeElement
    void latest.current.navigate(
      { pathname, search, hash },
      { state: { ...(state as object | null), peek: itemAddress }, replace: isOpen, preventScrollReset: true },
    )
  }, [])
  return (
    <ItemPeekContext value={can(user, 'upload') ? show : null}>
      {children}
      {address !== null && can(user, 'upload') && (
        <PartBoundary onError={() => void navigate(-1)}>
          <ItemPeek address={address} returnTo={returnTo.current} onClose={() => void navigate(-1)} />
        </PartBoundary>
      )}
    </ItemPeekContext>
  )
}

/** Notice shown while offline; `--above-page` makes room for it on small screens. */
export function OfflineBar() {
  const text = useText('app')
  const isOnline = useSyncExternalStore(watchConnection, () => navigator.onLine)
  return (
    <div
      role="status"
      className="pointer-events-none fixed inset-x-0 top-14 z-40 flex justify-center px-4 pt-1.5 print:hidden"
    >
      {!isOnline && (
        <p
          data-offline
          className="flex items-center gap-2 rounded-full border border-border-float bg-surface-overlay px-3 py-1 text-13 text-muted shadow-float"
        >
          <WifiOff aria-hidden className="size-4 shrink-0" />
          {text('offline')}
        </p>
      )}
    </div>
  )
}

function watchConnection(listener: () => void): () => void {
  // Passed as listener options: the browser reads its `signal`, which removes both listeners.
  const controller = new AbortController()
  for (const change of ['online', 'offline']) window.addEventListener(change, listener, controller)
  return () => controller.abort()
}

/** Keyboard shortcuts to the main screens. */
function GoShortcuts() {
  return [...mainLinks, ...mediaLinks].map((link) => {
    const key = pageShortcuts.get(link.path)
    return key === undefined ? null : <GoShortcut key={key} letter={key} link={link} />
  })
}

function GoShortcut({ letter, link }: GoShortcutProps) {
  const text = useText('app')
  const navigate = useNavigate()
  useShortcut({
    key: letter,
    label: text(`nav.${link.name}`),
    group: text('shortcuts.everywhere'),
    onPress: () => void navigate(link.path),
    isEnabled: can(useUser(), link.access),
  })
  return null
}

type GoShortcutProps = { letter: string; link: (typeof mainLinks | typeof mediaLinks)[number] }

const queryClient = createQueryClient()

/** Frame of every signed-in screen: top bar, keyboard shortcuts, query cache and server events. */
export function SignedInLayout({ children }: { children: ReactNode }) {
  const text = useText('app')
  const { id } = useUser()
  const [isMenuOpen, setIsMenuOpen] = useState(false)

  // Waits for the first paint: the event stream would take a connection from the screen's first requests.
  const isPainted = useIsPainted()
  useEffect(() => {
    if (!isPainted) return
    const upkeep = import('./upkeep.ts').then(({ startUpkeep }) => startUpkeep(id, queryClient)).catch(console.error)
    return () => void upkeep.then((stop) => stop?.())
  }, [id, isPainted])
  // A layout effect runs before the first paint, so that no key press is missed.
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
