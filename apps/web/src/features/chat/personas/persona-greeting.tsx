import type { PersonaJson } from '@mira/shared'
import { PersonaPicture } from './persona-picture.tsx'

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
