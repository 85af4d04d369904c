import type { PersonaJson } from '@mira/shared'
import { Link } from 'react-router-dom'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useQueryOncePainted } from '../../../lib/loading/queries.ts'
import { personaChatPath } from '../../../lib/session/paths.ts'
import { Avatar } from '../../../ui/avatar.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { personasQuery } from '../chat-queries.ts'

const sizes = { sm: 'size-7', md: 'size-9', lg: 'size-12' }

/** A persona's picture or initials; decorative beside its name. */
export function PersonaPicture({ persona: { name, picture }, size = 'md' }: PersonaPictureProps) {
  if (picture === null) return <Avatar name={name} size={size} />
  return <img src={picture} alt="" className={classNames('shrink-0 rounded-full object-cover', sizes[size])} />
}

type PersonaPictureProps = { persona: { name: string; picture: string | null }; size?: keyof typeof sizes }

const MAX_CHOICES = 12

/** Personas to start a new conversation with; null when there are none. */
export function PersonaChoices() {
  const text = useText('personas')
  const { data = [] } = useQueryOncePainted(personasQuery)
  if (data.length === 0) return null
  return (
    <section aria-labelledby="personas" className="mt-8 w-full">
      <h3 id="personas" className="text-13 text-muted">
        {text('choose')}
      </h3>
      <ul className="mt-2 flex flex-wrap justify-center gap-2">
        {data.slice(0, MAX_CHOICES).map((persona) => (
          <li key={persona.id} className="max-w-full min-w-0">
            <Link
              to={personaChatPath(persona.id)}
              title={persona.description || undefined}
              className="flex min-h-11 items-center gap-2 rounded-full border border-border bg-surface-raised py-1 pr-3.5 pl-1.5 text-14 shade-on-hover transition-colors hover:border-border-strong"
            >
              <PersonaPicture persona={persona} size="sm" />
              <span className="min-w-0 truncate">{persona.name}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Introduction of a persona in a new conversation, with its sample questions. */
export function PersonaGreeting({ persona, onAsk }: PersonaGreetingProps) {
  const { name, description, starters } = persona
  return (
    <div className="m-auto flex max-w-2xl flex-col items-center px-6 py-8 text-center">
      <PersonaPicture persona={persona} size="lg" />
      <h2 className="mt-5 text-24 font-semibold wrap-anywhere">{name}</h2>
      {description !== '' && <p className="mt-2 max-w-sm text-16 text-pretty text-muted">{description}</p>}
      {starters.length > 0 && (
        <ul aria-label={name} className="mt-8 grid w-full gap-2 sm:grid-cols-2">
          {starters.map((question) => (
            <li key={question} className="min-w-0">
              <button
                type="button"
                onClick={() => onAsk(question)}
                className="flex min-h-11 w-full items-center rounded-card border border-border bg-surface-raised px-3 py-2 text-left text-14 shade-on-hover transition-colors hover:border-border-strong"
              >
                <span className="line-clamp-2 min-w-0 wrap-anywhere">{question}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

type PersonaGreetingProps = { persona: PersonaJson; onAsk: (question: string) => void }
