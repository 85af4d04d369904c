import { Link } from 'react-router-dom'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useQueryOncePainted } from '../../../lib/loading/use-query-once-painted.ts'
import { personaChatPath } from '../../../lib/session/paths.ts'
import { PersonaPicture } from './persona-picture.tsx'
import { personasQuery } from './personas-query.ts'

const MAX_OFFERED = 12

/** The personas with whom a new conversation can be begun; nothing where there are none. */
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
        {data.slice(0, MAX_OFFERED).map((persona) => (
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
