import { Bot, Images, Search, Sparkles, Upload } from 'lucide-react'
import type { ReactNode } from 'react'
import { useText } from '../lib/i18n.ts'
import { assistantName } from '../lib/page-meta.ts'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHeader } from '../ui/page-header.tsx'

/** A screen that later work fills: its title, and one honest line about what will be there. */
function PlaceholderPage({ title, subtitle, icon, line }: PlaceholderPageProps) {
  const text = useText('app')
  return (
    <>
      <PageHeader title={title} subtitle={subtitle} />
      <Card className="py-8">
        <EmptyState icon={icon} title={text('placeholders.title')} text={line} />
      </Card>
    </>
  )
}

type PlaceholderPageProps = { title: string; subtitle?: string; icon: ReactNode; line: string }

/** /agents until there are some. */
export function AgentsPlaceholder() {
  const text = useText('app')
  return (
    <PlaceholderPage
      title={text('placeholders.agents.title')}
      subtitle={text('placeholders.agents.subtitle')}
      icon={<Bot />}
      line={text('placeholders.agents.line', { assistant: assistantName() })}
    />
  )
}

/** /upload until files can be taken in. */
export function UploadPlaceholder() {
  const text = useText('app')
  return (
    <PlaceholderPage
      title={text('placeholders.upload.title')}
      subtitle={text('placeholders.upload.subtitle')}
      icon={<Upload />}
      line={text('placeholders.upload.line', { assistant: assistantName() })}
    />
  )
}

/** /gallery until there is a library. */
export function GalleryPlaceholder() {
  const text = useText('app')
  return (
    <PlaceholderPage
      title={text('placeholders.gallery.title')}
      subtitle={text('placeholders.gallery.subtitle')}
      icon={<Images />}
      line={text('placeholders.gallery.line')}
    />
  )
}

/** /effects until there are some. */
export function EffectsPlaceholder() {
  const text = useText('app')
  return (
    <PlaceholderPage
      title={text('placeholders.effects.title')}
      subtitle={text('placeholders.effects.subtitle')}
      icon={<Sparkles />}
      line={text('placeholders.effects.line')}
    />
  )
}

/** /memory until there is something to search. */
export function MemoryPlaceholder() {
  const text = useText('app')
  return (
    <PlaceholderPage
      title={text('placeholders.memory.title')}
      subtitle={text('placeholders.memory.subtitle')}
      icon={<Search />}
      line={text('placeholders.memory.line')}
    />
  )
}
