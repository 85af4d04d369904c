import type { PersonaJson } from '@mira/shared'
import { useQuery } from '@tanstack/react-query'
import { Bot, MessageSquare, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router-dom'
import { call } from '../../../lib/api/client.ts'
import { ListCard } from '../../../lib/components/query-list.tsx'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useRemoval } from '../../../lib/loading/use-move-to-trash.ts'
import { PERSONAS_HASH, personaChatPath } from '../../../lib/session/paths.ts'
import { useUser } from '../../../lib/session/session.ts'
import { Badge } from '../../../ui/badge.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { SkeletonText } from '../../../ui/skeleton.tsx'
import { personasQuery } from '../chat-queries.ts'
import { PersonaDialog } from './persona-dialog.tsx'
import { PersonaPicture } from './persona-greeting.tsx'

/** Personas available to the user, to add, edit and delete. */
export function PersonasCard() {
  const text = useText('personas')
  const query = useQuery(personasQuery)
  /** Undefined while no persona is being edited; null for a new persona. */
  const [editedPersona, setEditedPersona] = useState<PersonaJson | null>()
  return (
    <>
      <ListCard
        id={PERSONAS_HASH}
        level={3}
        title={text('title')}
        description={text('text')}
        add={{ icon: <Plus aria-hidden />, children: text('add'), onClick: () => setEditedPersona(null) }}
        query={query}
        items={query.data}
        loading={<SkeletonText lines={3} />}
        empty={{ icon: <Bot />, title: text('empty'), text: text('emptyHint') }}
      >
        {(persona) => <PersonaRow key={persona.id} persona={persona} onEdit={() => setEditedPersona(persona)} />}
      </ListCard>
      {editedPersona !== undefined && (
        <PersonaDialog
          key={editedPersona?.id ?? 'new'}
          persona={editedPersona}
          onClose={() => setEditedPersona(undefined)}
        />
      )}
    </>
  )
}

function PersonaRow({ persona, onEdit }: { persona: PersonaJson; onEdit: () => void }) {
  const text = useText('personas')
  const { id, name, description, instructions, shared, own, limited, items } = persona
  const { role } = useUser()
  const mayChange = shared ? role === 'admin' : own
  const remove = useRemoval({
    question: text('deleteQuestion', { name }),
    detail: text(shared ? 'deleteShared' : 'deleteDetail'),
    confirmLabel: text('delete'),
    remove: () =>
      call(persona.shared ? 'DELETE /admin/personas/:id' : 'DELETE /personas/:id', { params: { id: persona.id } }),
    failureTitle: text('deleteFailed'),
    queryKey: personasQuery.queryKey,
  })
  return (
    <li className="flex items-start gap-3 py-3">
      <PersonaPicture persona={persona} />
      <div className="min-w-0 flex-1">
        <p className="flex min-w-0 flex-wrap items-center gap-2 text-14 font-medium">
          <span className="min-w-0 wrap-anywhere">{name}</span>
          {shared && <Badge tone="accent">{text('shared')}</Badge>}
        </p>
        <p className="line-clamp-2 text-13 wrap-anywhere text-muted">{description || instructions}</p>
        {limited && items.length === 0 && (
          <p className="text-13 text-pretty text-warning-text">{text('nothingLeft')}</p>
        )}
        <Link
          to={personaChatPath(id)}
          className="mt-1 inline-flex touch-area items-center gap-1.5 text-13 text-accent-text underline-offset-2 hover:underline"
        >
          <MessageSquare aria-hidden className="size-3.5" />
          {text('talk', { name })}
        </Link>
      </div>
      {mayChange && (
        <>
          <IconButton size="sm" name={text('editOne', { name })} icon={<Pencil aria-hidden />} onClick={onEdit} />
          <IconButton
            size="sm"
            variant="danger"
            name={text('deleteOne', { name })}
            icon={<Trash2 aria-hidden />}
            loading={remove.isPending}
            onClick={remove.ask}
          />
        </>
      )}
    </li>
  )
}
