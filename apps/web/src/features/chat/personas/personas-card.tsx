import type { PersonaJson } from '@mira/shared'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Bot, MessageSquare, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router-dom'
import { deletePersona } from '../../../api/personas.ts'
import { useErrorText } from '../../../lib/error-text.ts'
import { useText } from '../../../lib/i18n.ts'
import { PERSONAS_HASH, personaChatPath } from '../../../lib/paths.ts'
import { QueryList } from '../../../lib/query-list.tsx'
import { useUser } from '../../../lib/session.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card, CardHeader } from '../../../ui/card.tsx'
import { useConfirm } from '../../../ui/confirm-dialog.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { SkeletonText } from '../../../ui/skeleton.tsx'
import { showToast } from '../../../ui/toast.ts'
import { PersonaDialog } from './persona-dialog.tsx'
import { PersonaPicture } from './persona-picture.tsx'
import { personasQuery } from './personas-query.ts'

/** The personas that the person may talk to: to add to, change and delete. */
export function PersonasCard() {
  const text = useText('personas')
  const query = useQuery(personasQuery)
  /** Undefined while none is written; null for a new one. */
  const [edited, setEdited] = useState<PersonaJson | null>()
  return (
    <Card id={PERSONAS_HASH} className="scroll-mt-32">
      <CardHeader
        level={3}
        title={text('title')}
        description={text('text')}
        actions={
          <Button size="sm" icon={<Plus aria-hidden />} onClick={() => setEdited(null)}>
            {text('add')}
          </Button>
        }
      />
      <QueryList
        query={query}
        items={query.data}
        label={text('title')}
        loading={<SkeletonText lines={3} />}
        empty={{ icon: <Bot />, title: text('empty'), text: text('emptyHint') }}
      >
        {(persona) => <PersonaRow key={persona.id} persona={persona} onEdit={() => setEdited(persona)} />}
      </QueryList>
      {edited !== undefined && (
        <PersonaDialog key={edited?.id ?? 'new'} persona={edited} onClose={() => setEdited(undefined)} />
      )}
    </Card>
  )
}

function PersonaRow({ persona, onEdit }: { persona: PersonaJson; onEdit: () => void }) {
  const text = useText('personas')
  const appText = useText('app')
  const errorText = useErrorText()
  const confirm = useConfirm()
  const queryClient = useQueryClient()
  const { id, name, description, instructions, shared, own, limited, items } = persona
  const { role } = useUser()
  const mayChange = shared ? role === 'admin' : own
  const remove = useMutation({
    mutationFn: () => deletePersona(persona),
    onError: (error) => showToast({ tone: 'danger', title: text('deleteFailed'), description: errorText(error) }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: personasQuery.queryKey }),
  })
  const removeAfterQuestion = async () => {
    const isWanted = await confirm({
      question: text('deleteQuestion', { name }),
      detail: text(shared ? 'deleteShared' : 'deleteDetail'),
      confirmLabel: text('delete'),
      cancelLabel: appText('common.cancel'),
      tone: 'danger',
    })
    if (isWanted) remove.mutate()
  }
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
            onClick={() => void removeAfterQuestion()}
          />
        </>
      )}
    </li>
  )
}
