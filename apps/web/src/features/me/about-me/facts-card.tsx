import type { FactJson } from '@mira/shared'
import { FACT_MAX_CHARACTERS } from '@mira/shared/constants/limits'
import {
  infiniteQueryOptions,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { NotebookPen, Pencil, SearchX, Trash2 } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Link } from 'react-router-dom'
import { call } from '../../../lib/api/client.ts'
import { assistantName } from '../../../lib/browser/page-meta.ts'
import { LoadFailed, NextPage } from '../../../lib/components/query-list.tsx'
import { RelativeTime } from '../../../lib/components/relative-time.tsx'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useRemoval } from '../../../lib/loading/use-move-to-trash.ts'
import { chatPath, REMEMBERED_HASH } from '../../../lib/session/paths.ts'
import { Button } from '../../../ui/button.tsx'
import { Card, CardHeader } from '../../../ui/card.tsx'
import { DebouncedSearchField } from '../../../ui/debounced-search-field.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { isComposing } from '../../../ui/is-composing.ts'
import { showToast } from '../../../ui/show-toast.ts'
import { LoadingRegion, SkeletonText } from '../../../ui/skeleton.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { useInPlaceEditing } from '../../../ui/use-in-place-editing.ts'

export const instructionsQuery = queryOptions({
  queryKey: ['instructions'],
  queryFn: ({ signal }) => call('GET /me/instructions', { signal }),
})

/** Prefix of the query keys of all lists of facts. */
const factsKey = ['facts']

/** Remembered facts that contain these words, page by page. */
const factsQuery = (query: string) =>
  infiniteQueryOptions({
    queryKey: [...factsKey, query],
    queryFn: ({ pageParam, signal }) =>
      call('GET /me/facts', { signal, query: { limit: 20, cursor: pageParam, query: query || null } }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })

/** A remembered fact with its source and actions. */
function FactRow({ fact }: { fact: FactJson }) {
  const text = useText('about-me')
  const { isEditing, button, begin, end } = useInPlaceEditing()
  const remove = useRemoval({
    question: text('facts.forgetQuestion'),
    detail: fact.text,
    confirmLabel: text('facts.forget'),
    remove: () => call('DELETE /me/facts/:id', { params: { id: fact.id } }),
    failureTitle: text('facts.forgetFailed'),
    queryKey: factsKey,
  })

  if (isEditing) {
    return (
      <li className="py-2.5">
        <FactEditor fact={fact} onDone={end} />
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
        ref={button}
        size="sm"
        name={text('facts.edit', { text: fact.text })}
        icon={<Pencil aria-hidden />}
        onClick={begin}
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
  const [draft, setDraft] = useState(fact.text)
  const save = useMutation({
    mutationFn: () => call('PATCH /me/facts/:id', { params: { id: fact.id }, json: { text: draft.trim() } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: factsKey }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (draft.trim() === fact.text) onDone()
    else if (draft.trim() !== '' && !save.isPending) save.mutate(undefined, { onSuccess: onDone })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-2">
      <TextField
        label={text('facts.editLabel')}
        labelHidden
        value={draft}
        maxLength={FACT_MAX_CHARACTERS}
        readOnly={save.isPending}
        autoFocus
        autoComplete="off"
        data-takes-escape=""
        error={save.isError ? errorText(save.error) : undefined}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || isComposing(event.nativeEvent)) return
          event.stopPropagation()
          onDone()
        }}
      />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" size="sm" variant="primary" disabled={draft.trim() === ''} loading={save.isPending}>
          {text('facts.save')}
        </Button>
        <Button size="sm" onClick={onDone}>
          {appText('common.cancel')}
        </Button>
      </div>
    </form>
  )
}

/** Remembered facts: read, search, add, edit and delete them, or turn them off. */
export function FactsCard() {
  const text = useText('about-me')
  const card = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // links from conversations point here
    if (window.location.hash === `#${REMEMBERED_HASH}`) card.current?.scrollIntoView()
  }, [])
  return (
    <Card id={REMEMBERED_HASH} ref={card} className="scroll-mt-32">
      <CardHeader level={3} title={text('facts.title')} description={text('facts.text')} className="mb-2" />
      <FactsSwitch />
      <NewFact />
      <FactList />
    </Card>
  )
}

/** Switch for using remembered facts and proposing new ones. */
function FactsSwitch() {
  const text = useText('about-me')
  const errorText = useErrorText()
  const queryClient = useQueryClient()
  const { data } = useQuery(instructionsQuery)
  const save = useMutation({
    mutationFn: (isUsed: boolean) => call('PATCH /me/instructions', { json: { uses_facts: isUsed } }),
    onSuccess: (instructions) => queryClient.setQueryData(instructionsQuery.queryKey, instructions),
    onError: (error) => showToast({ tone: 'danger', title: errorText(error) }),
  })
  return (
    <Switch
      label={text('facts.use')}
      description={text('facts.useText', { assistant: assistantName() })}
      checked={save.isPending ? save.variables : (data?.uses_facts ?? false)}
      disabled={data === undefined || save.isPending}
      onCheckedChange={(isChecked) => save.mutate(isChecked)}
      className="border-b border-border pb-3"
    />
  )
}

function NewFact() {
  const text = useText('about-me')
  const errorText = useErrorText()
  const queryClient = useQueryClient()
  const [draft, setDraft] = useState('')
  const add = useMutation({
    mutationFn: (text: string) => call('POST /me/facts', { json: { text } }),
    // the user may have typed another fact meanwhile
    onSuccess: (_, sent) => setDraft((current) => (current.trim() === sent ? '' : current)),
    onSettled: () => queryClient.invalidateQueries({ queryKey: factsKey }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (draft.trim() !== '' && !add.isPending) add.mutate(draft.trim())
  }
  return (
    <form onSubmit={submit} className="mt-4 flex flex-col gap-2 sm:flex-row sm:items-start">
      <TextField
        label={text('facts.new')}
        labelHidden
        placeholder={text('facts.newExample')}
        value={draft}
        maxLength={FACT_MAX_CHARACTERS}
        autoComplete="off"
        error={add.isError ? errorText(add.error) : undefined}
        onChange={(event) => {
          setDraft(event.target.value)
          add.reset()
        }}
        className="min-w-0 flex-1"
      />
      <Button type="submit" size="lg" className="sm:h-10" disabled={draft.trim() === ''} loading={add.isPending}>
        {text('facts.add')}
      </Button>
    </form>
  )
}

function FactList() {
  const text = useText('about-me')
  const appText = useText('app')
  const [query, setQuery] = useState('')
  const matches = useInfiniteQuery({ ...factsQuery(query), placeholderData: (before) => before })
  const facts = matches.data?.pages.flatMap((page) => page.facts) ?? []
  const total = matches.data?.pages.at(-1)?.total ?? 0

  if (matches.isLoadingError) return <LoadFailed query={matches} className="mt-4" />
  if (matches.isPending) {
    return (
      <LoadingRegion label={appText('common.loading')} className="mt-4">
        <SkeletonText lines={3} />
      </LoadingRegion>
    )
  }
  if (total === 0 && query === '') {
    return (
      <EmptyState level={3} icon={<NotebookPen aria-hidden />} title={text('facts.empty')} text={text('facts.hint')} />
    )
  }
  return (
    <div className="mt-4">
      <DebouncedSearchField
        label={text('facts.search')}
        clearLabel={appText('common.clearSearch')}
        placeholder={text('facts.search')}
        maxLength={FACT_MAX_CHARACTERS}
        query={query}
        onQueryChange={setQuery}
      />
      <p role="status" className="mt-2 text-13 text-muted">
        {text('facts.count', { count: total })}
      </p>
      {total === 0 && <EmptyState level={3} icon={<SearchX aria-hidden />} title={text('facts.nothingFound')} />}
      <ul aria-label={text('facts.title')} className="divide-y divide-border">
        {facts.map((fact) => (
          <FactRow key={fact.id} fact={fact} />
        ))}
      </ul>
      <NextPage query={matches} />
    </div>
  )
}
