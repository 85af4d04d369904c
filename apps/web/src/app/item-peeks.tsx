import { can } from '@mira/shared/access'
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { useLocation } from 'react-router-dom'
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

interface Shown {
  address: string
  returnTo: Element | null
}

/** Lets what is inside show items beside the page: for those who may see the gallery, until another page is shown. */
export function ItemPeeks({ children }: { children: ReactNode }) {
  const user = useUser()
  const { pathname, search } = useLocation()
  const [shown, setShown] = useState<Shown | null>(null)
  const [show] = useState(() => (address: string) => setShown({ address, returnTo: document.activeElement }))
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page ends it
  useEffect(() => setShown(null), [pathname, search])
  return (
    <ItemPeekContext value={can(user, 'upload') ? show : null}>
      {children}
      {shown !== null && (
        <Suspense fallback={null}>
          <ItemPeek {...shown} onClose={() => setShown(null)} />
        </Suspense>
      )}
    </ItemPeekContext>
  )
}
