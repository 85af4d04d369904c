import { can } from '@mira/shared/access'
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useRef } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import { loadTexts } from '../lib/i18n.ts'
import { ItemPeekContext } from '../lib/item-peek.ts'
import { useUser } from '../lib/session.ts'

const ItemPeek = lazy(async () => {
  const [{ ItemPeek }] = await Promise.all([
    import('../features/gallery/item-peek.tsx'),
    loadTexts('gallery', 'errors'),
  ])
  return { default: ItemPeek }
})

/** In the state of an entry of the browser's history: the item that is shown beside its page. */
interface PeekState {
  peek?: string
}

/**
 * Lets what is inside show items beside the page: for those who may see the gallery, until another page is shown. Each is an
 * entry of the browser's history at the same address, so that its way back closes it and leaves the page as it was.
 */
export function ItemPeeks({ children }: { children: ReactNode }) {
  const user = useUser()
  const navigate = useNavigate()
  const location = useLocation()
  const address = (location.state as PeekState | null)?.peek ?? null
  const returnTo = useRef<Element | null>(null)
  const now = useRef({ location, navigate })
  useEffect(() => {
    now.current = { location, navigate }
  })
  const show = useCallback((wanted: string) => {
    const { pathname, search, hash, state } = now.current.location
    const isOpen = (state as PeekState | null)?.peek !== undefined
    if (!isOpen) returnTo.current = document.activeElement
    void now.current.navigate(
      { pathname, search, hash },
      { state: { ...(state as object | null), peek: wanted }, replace: isOpen, preventScrollReset: true },
    )
  }, [])
  return (
    <ItemPeekContext value={can(user, 'upload') ? show : null}>
      {children}
      {address !== null && can(user, 'upload') && (
        <Suspense>
          <ItemPeek address={address} returnTo={returnTo.current} onClose={() => void navigate(-1)} />
        </Suspense>
      )}
    </ItemPeekContext>
  )
}
