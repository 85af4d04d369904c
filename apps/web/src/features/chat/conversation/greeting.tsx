import { Eye, History, Search, Type } from 'lucide-react'
import { useText } from '../../../lib/i18n.ts'
import { assistantName } from '../../../lib/page-meta.ts'
import { useUser } from '../../../lib/session.ts'
import { BrandMark } from '../../../ui/brand-mark.tsx'
import { PersonaChoices } from '../personas/persona-choices.tsx'
import { useCapabilities } from '../use-capabilities.ts'
import { Starters } from './starters.tsx'

/** Introduction in a new conversation: the assistant and its current abilities. */
export function Greeting({ onAsk }: { onAsk: (question: string) => void }) {
  const text = useText('chat')
  const user = useUser()
  const capabilities = useCapabilities()
  const chips = [
    { key: 'text', icon: Type, label: text('greeting.text'), isThere: capabilities?.chat === true },
    { key: 'pictures', icon: Eye, label: text('greeting.pictures'), isThere: capabilities?.vision === true },
    { key: 'history', icon: History, label: text('greeting.history'), isThere: true },
    { key: 'search', icon: Search, label: text('greeting.search'), isThere: true },
  ]
  return (
    // from the top, and with room for what comes later: in the middle all of it would jump once the starters are there
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
            .filter(({ isThere }) => isThere)
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
