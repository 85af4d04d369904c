import { Eye, History, Search, Type } from 'lucide-react'
import { useText } from '../../lib/i18n.ts'
import { assistantName } from '../../lib/page-meta.ts'
import { useUser } from '../../lib/session.ts'
import { badgeClass } from '../../ui/badge.tsx'
import { BrandMark } from '../../ui/brand-mark.tsx'
import { useCapabilities } from './use-capabilities.ts'

/** What a new conversation begins with: who the assistant is and what it can do here now (spec §2.5). */
export function Greeting() {
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
    <div className="m-auto flex max-w-2xl flex-col items-center px-6 py-8 text-center">
      <BrandMark className="size-12" />
      <h2 className="mt-5 text-24 font-semibold">
        {text('greeting.hello', { name: user.full_name || user.username })}
      </h2>
      <p className="mt-2 max-w-sm text-16 text-pretty text-muted">
        {text('greeting.introduction', { assistant: assistantName() })}
      </p>
      <ul aria-label={text('greeting.capabilities')} className="mt-6 flex min-h-7 flex-wrap justify-center gap-2">
        {capabilities &&
          chips
            .filter(({ isThere }) => isThere)
            .map(({ key, icon: Icon, label }) => (
              <li key={key} className={badgeClass('neutral', 'px-3 py-1 text-13')}>
                <Icon aria-hidden />
                {label}
              </li>
            ))}
      </ul>
    </div>
  )
}
