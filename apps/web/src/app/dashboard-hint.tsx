import { CircleHelp, Info, X } from 'lucide-react'
import { useState } from 'react'
import { readStored, writeStored } from '../lib/browser-storage.ts'
import { useText } from '../lib/i18n.ts'
import type { DashboardTab } from '../lib/paths.ts'
import { IconButton } from '../ui/icon-button.tsx'

const HINT_KEY = 'dashboard-hint'

/**
 * Hint for the tab, bottom right on a strip along the window's edge so that it covers no controls; below the content on
 * phones. A button brings it back once hidden.
 */
export function DashboardHint({ tab }: { tab: DashboardTab }) {
  const text = useText('dashboard')
  const [isShown, setIsShown] = useState(readStored(HINT_KEY) !== 'hidden')

  const show = (isWanted: boolean) => {
    writeStored(HINT_KEY, isWanted ? null : 'hidden')
    setIsShown(isWanted)
  }

  if (!isShown) {
    return (
      <aside aria-label={text('hint.label')} className="mt-6 flex justify-end">
        <IconButton name={text('hint.show')} icon={<CircleHelp aria-hidden />} onClick={() => show(true)} />
      </aside>
    )
  }
  return (
    // The height of the strip, which is above the page, is kept free at the page's end.
    <div className="mt-6 sm:h-5">
      <aside
        aria-label={text('hint.label')}
        className="rounded-card border border-border bg-surface-raised sm:fixed sm:inset-x-0 sm:bottom-0 sm:z-20 sm:rounded-none sm:border-x-0 sm:border-b-0"
      >
        <div className="mx-auto flex max-w-page items-center gap-2 py-1 pr-1 pl-3 text-12 text-muted sm:justify-end sm:px-6">
          <Info aria-hidden className="size-3.5 shrink-0" />
          <p className="min-w-0 py-1 text-pretty max-sm:flex-1">{text(`hints.${tab}`)}</p>
          <IconButton name={text('hint.hide')} icon={<X aria-hidden />} size="sm" onClick={() => show(false)} />
        </div>
      </aside>
    </div>
  )
}
