import type { MediaItemJson } from '@mira/shared'
import { can } from '@mira/shared/access'
import { type MediaType, mediaTypes } from '@mira/shared/constants/media'
import { queryOptions } from '@tanstack/react-query'
import { Eye, History, Search, Type } from 'lucide-react'
import { fetchLibrary } from '../../../lib/api/library.ts'
import { assistantName } from '../../../lib/browser/page-meta.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useQueryOncePainted } from '../../../lib/loading/queries.ts'
import { useUser } from '../../../lib/session/session.ts'
import { BrandMark } from '../../../ui/brand-mark.tsx'
import { MediaIcon } from '../../../ui/media-icon.tsx'
import { PersonaChoices } from '../personas/persona-greeting.tsx'
import { useCapabilities } from '../use-capabilities.ts'

/** Number of recent items from which suggested questions are made. */
const NEWEST_COUNT = 24
const MAX_STARTERS = 4

const newestQuery = queryOptions({
  queryKey: ['chat', 'starters'],
  queryFn: ({ signal }) => fetchLibrary({ limit: NEWEST_COUNT, status: 'completed', cursor: null }, signal),
})

/** Questions about the user's newest items, beginning with one item of each kind; a click puts a question into the composer. */
function Starters({ onAsk }: { onAsk: (question: string) => void }) {
  const text = useText('chat')
  const mayUpload = can(useUser(), 'upload')
  // If the request fails, no questions are suggested; the greeting is enough.
  const { data } = useQueryOncePainted({ ...newestQuery, enabled: mayUpload })
  const starters = chooseOfEachKind(data?.media_items ?? [])
  if (starters.length === 0) return null
  return (
    <section aria-labelledby="starters" className="mt-8 w-full">
      <h3 id="starters" className="text-13 text-muted">
        {text('starters.label')}
      </h3>
      <ul className="mt-2 grid gap-2 sm:grid-cols-2">
        {starters.map(({ id, media_type, metadata }) => {
          const question = text(`starters.${media_type}`, { name: metadata.original_filename })
          return (
            <li key={id} className="min-w-0">
              <button
                type="button"
                onClick={() => onAsk(question)}
                className="flex min-h-11 w-full items-center gap-2.5 rounded-card border border-border bg-surface-raised px-3 py-2 text-left text-14 shade-on-hover transition-colors hover:border-border-strong"
              >
                <MediaIcon type={media_type} className="size-4 shrink-0 text-muted" />
                <span className="line-clamp-2 min-w-0 wrap-anywhere">{question}</span>
              </button>
            </li>
          )
        })}
      </ul>
    </section>
  )
}

/** The newest item of each kind, then the second newest of each, and so on. */
function chooseOfEachKind(items: readonly MediaItemJson[]): MediaItemJson[] {
  const byKind = Object.groupBy(items, ({ media_type }) => media_type) as Partial<Record<MediaType, MediaItemJson[]>>
  const rounds = Array.from({ length: MAX_STARTERS }, (_, round) =>
    mediaTypes.flatMap((kind) => byKind[kind]?.[round] ?? []),
  )
  return rounds.flat().slice(0, MAX_STARTERS)
}

/** Introduction in a new conversation: the assistant and its current abilities. */
export function Greeting({ onAsk }: { onAsk: (question: string) => void }) {
  const text = useText('chat')
  const user = useUser()
  const capabilities = useCapabilities()
  const chips = [
    { key: 'text', icon: Type, label: text('greeting.text'), isAvailable: capabilities?.chat === true },
    { key: 'pictures', icon: Eye, label: text('greeting.pictures'), isAvailable: capabilities?.vision === true },
    { key: 'history', icon: History, label: text('greeting.history'), isAvailable: true },
    { key: 'search', icon: Search, label: text('greeting.search'), isAvailable: true },
  ]
  return (
    // Aligned to the top with space reserved, because centred content would jump when the questions appear.
    <div className="mx-auto mt-[10dvh] mb-auto flex w-full max-w-2xl flex-col items-center px-6 py-8 text-center">
      <BrandMark className="size-12" />
      <h2 className="mt-5 text-24 font-semibold">
        {text('greeting.hello', { name: user.full_name || user.username })}
      </h2>
      <p className="mt-2 max-w-sm text-16 text-pretty text-muted">
        {text('greeting.introduction', { assistant: assistantName() })}
      </p>
      <ul
        aria-label={text('greeting.capabilities')}
        className="mt-6 flex min-h-7 flex-wrap content-start justify-center gap-x-5 gap-y-2 text-13 text-muted max-sm:min-h-21"
      >
        {capabilities &&
          chips
            .filter(({ isAvailable }) => isAvailable)
            .map(({ key, icon: Icon, label }) => (
              <li key={key} className="flex items-center gap-1.5">
                <Icon aria-hidden className="size-4 shrink-0" />
                {label}
              </li>
            ))}
      </ul>
      <PersonaChoices />
      <Starters onAsk={onAsk} />
    </div>
  )
}
