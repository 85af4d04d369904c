import { useText } from '../../lib/i18n.ts'
import { assistantName } from '../../lib/page-meta.ts'
import { BrandMark } from '../../ui/brand-mark.tsx'
import { FirstSteps } from './first-steps.tsx'

/** Says where the person is, and what this place is for. */
export function WelcomeBanner() {
  const text = useText('overview')
  return (
    <section className="rounded-card border border-accent/20 bg-accent-soft p-4 sm:p-5">
      <div className="flex items-center gap-4 sm:gap-5">
        <BrandMark className="size-12 shrink-0 max-sm:size-10 max-sm:self-start" />
        <div className="min-w-0">
          <h2 className="text-20 font-semibold">{text('banner.title', { assistant: assistantName() })}</h2>
          <p className="mt-1 text-14 text-pretty text-muted">{text('banner.text')}</p>
        </div>
      </div>
      <FirstSteps />
    </section>
  )
}
