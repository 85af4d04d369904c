import { assistantName } from '../lib/browser/page-meta.ts'
import { useText } from '../lib/i18n/i18n.ts'
import { BrandMark } from '../ui/brand-mark.tsx'
import { Spinner } from '../ui/spinner.tsx'

/** Placeholder until the session has been loaded. */
export function LoadingScreen() {
  const text = useText('app')
  return (
    <main className="grid min-h-dvh place-items-center p-6">
      <div role="status" className="flex appear-late flex-col items-center gap-4 text-14 text-muted">
        <BrandMark className="size-12" />
        <h1 className="flex items-center gap-2.5">
          <Spinner size="sm" />
          {text('loading', { assistant: assistantName() })}
        </h1>
      </div>
    </main>
  )
}
