import type { FactJson } from '@mira/shared'
import { FACT_MAX_CHARACTERS } from '@mira/shared/constants/limits'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Pencil, Trash2 } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import { Link } from 'react-router-dom'
import { changeFact, removeFact } from '../../api/about-me.ts'
import { useErrorText } from '../../lib/error-text.ts'
import { useText } from '../../lib/i18n.ts'
import { chatPath } from '../../lib/paths.ts'
import { RelativeTime } from '../../lib/relative-time.tsx'
import { useRemoval } from '../../lib/use-removal.ts'
import { Button } from '../../ui/button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { factsKey } from './about-me-queries.ts'

/** One remembered fact, where it comes from, and what can be done with it. */
export function FactRow({ fact }: { fact: FactJson }) {
  const text = useText('about-me')
  const [isEditing, setIsEditing] = useState(false)
  const editButton = useRef<HTMLButtonElement>(null)
  const remove = useRemoval({
    question: text('facts.forgetQuestion'),
    detail: fact.text,
    confirmLabel: text('facts.forget'),
    remove: () => removeFact(fact.id),
    failed: text('facts.forgetFailed'),
    queryKey: factsKey,
  })
  const endEditing = () => {
    setIsEditing(false)
    requestAnimationFrame(() => editButton.current?.focus())
  }

  if (isEditing) {
    return (
      <li className="py-2.5">
        <FactEditor fact={fact} onDone={endEditing} />
      </li>
    )
  }
  return (
    <li className="flex items-start gap-2 py-2.5">
      <div className="min-w-0 flex-1">
        <p className="text-14 wrap-anywhere whitespace-pre-line">{fact.text}</p>
        <p className="flex flex-wrap items-center gap-x-2 text-13 text-muted">
          <FactSource fact={fact} />
          <RelativeTime moment={fact.created_at} />
        </p>
      </div>
      <IconButton
        ref={editButton}
        size="sm"
        name={text('facts.edit', { text: fact.text })}
        icon={<Pencil aria-hidden />}
        onClick={() => setIsEditing(true)}
      />
      <IconButton
        size="sm"
        name={text('facts.forgetOne', { text: fact.text })}
        icon={<Trash2 aria-hidden />}
        disabled={remove.isPending}
        onClick={remove.ask}
      />
    </li>
  )
}

/** Source of a fact; links to its conversation unless that was deleted. */
function FactSource({ fact: { source, session } }: { fact: FactJson }) {
  const text = useText('about-me')
  if (session !== null) {
    return (
      <Link to={chatPath(session.id)} className="min-w-0 text-accent-text underline underline-offset-2 wrap-anywhere">
        {text('facts.fromSession', { name: session.name })}
      </Link>
    )
  }
  if (source === 'person') return <span>{text('facts.fromYou')}</span>
  return <span className="wrap-anywhere">{source === 'chat' ? text('facts.fromChat') : source}</span>
}

function FactEditor({ fact, onDone }: { fact: FactJson; onDone: () => void }) {
  const text = useText('about-me')
  const appText = useText('app')
  const errorText = useErrorText()
  const queryClient = useQueryClient()
  const [said, setSaid] = useState(fact.text)
  const save = useMutation({
    mutationFn: () => changeFact(fact.id, said.trim()),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: factsKey })
      onDone()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (said.trim() === fact.text) onDone()
    else if (said.trim() !== '' && !save.isPending) save.mutate()
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-2">
      <TextField
        label={text('facts.editLabel')}
        labelHidden
        value={said}
        maxLength={FACT_MAX_CHARACTERS}
        autoFocus
        autoComplete="off"
        error={save.isError ? errorText(save.error) : undefined}
        onChange={(event) => setSaid(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.stopPropagation()
          onDone()
        }}
      />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" size="sm" variant="primary" disabled={said.trim() === ''} loading={save.isPending}>
          {text('facts.save')}
        </Button>
        <Button size="sm" onClick={onDone}>
          {appText('common.cancel')}
        </Button>
      </div>
    </form>
  )
}
