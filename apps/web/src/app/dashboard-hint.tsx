import { CircleHelp, X } from 'lucide-react'
import { useState } from 'react'
import { readStored, writeStored } from '../lib/browser-storage.ts'
import { useText } from '../lib/i18n.ts'
import type { DashboardTab } from '../lib/paths.ts'
import { IconButton } from '../ui/icon-button.tsx'

const HINT_KEY = 'dashboard-hint'

/**
 * What the tab is for (spec §2.4): it stays at the bottom right of the window and lies below the content at its end,
 * on phones always; once hidden, a button brings it back.
 */
export function DashboardHint({ tab }: { tab: DashboardTab }) {
  const text = useText('dashboard')
  const [isShown, setIsShown] = useState(readStored(HINT_KEY) !== 'hidden')

  const show = (isWanted: boolean) => {
    writeStored(HINT_KEY, isWanted ? null : 'hidden')
    setIsShown(isWanted)
  }

  return (
    <aside
      aria-label={text('hint.label')}
      className="pointer-events-none mt-6 flex justify-end sm:sticky sm:bottom-4 sm:z-20"
    >
      {isShown ? (
        <div className="pointer-events-auto flex items-center gap-1.5 rounded-card border border-border-float bg-surface-overlay p-0.5 pl-3 text-12 text-muted shadow-float">
          <p className="min-w-0 py-1.5 text-pretty">{text(`hints.${tab}`)}</p>
          <IconButton name={text('hint.hide')} icon={<X aria-hidden />} size="sm" onClick={() => show(false)} />
        </div>
      ) : (
        <IconButton
          name={text('hint.show')}
          icon={<CircleHelp aria-hidden />}
          variant="secondary"
          className="pointer-events-auto rounded-full"
          onClick={() => show(true)}
        />
      )}
    </aside>
  )
}
