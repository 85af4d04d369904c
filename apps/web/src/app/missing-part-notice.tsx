import { RotateCw } from 'lucide-react'
import { useEffect } from 'react'
import { useText } from '../lib/i18n.ts'
import { followMissingParts, missingPart } from '../lib/missing-part.ts'
import { assistantName } from '../lib/page-meta.ts'
import { useStore } from '../lib/store.ts'
import { Banner } from '../ui/banner.tsx'
import { Button } from '../ui/button.tsx'

/** Offers to load the page again once a part of it did not come; what is on the page stays until the person does. */
export function MissingPartNotice() {
  const text = useText('app')
  const isMissing = useStore(missingPart)
  useEffect(() => followMissingParts(), [])
  if (!isMissing) return null
  return (
    <div className="pointer-events-none fixed inset-x-0 top-14 z-50 flex justify-center p-4 print:hidden">
      <div className="pointer-events-auto w-full max-w-md rounded-control bg-surface-raised shadow-float">
        <Banner
          tone="warning"
          title={text('missingPart.title', { assistant: assistantName() })}
          action={
            <Button size="sm" icon={<RotateCw aria-hidden />} onClick={() => window.location.reload()}>
              {text('missingPart.reload')}
            </Button>
          }
        >
          {text('missingPart.text')}
        </Banner>
      </div>
    </div>
  )
}
