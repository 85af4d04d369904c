import type { MediaItemJson, NoteJson } from '@mira/shared'
import { NOTE_MAX_CHARACTERS, NOTE_TITLE_MAX_CHARACTERS } from '@mira/shared/constants/limits'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type KeyboardEvent, useEffect, useEffectEvent, useState } from 'react'
import { useLocation, useNavigate, useParams } from 'react-router-dom'
import { ApiError, call } from '../../../lib/api/client.ts'
import { canDrop } from '../../../lib/browser/can-drop.ts'
import { NoteMarkdown } from '../../../lib/components/note-markdown.tsx'
import { LoadFailed } from '../../../lib/components/query-list.tsx'
import { textBelowTitle, titleOf } from '../../../lib/format/note-text.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { paths } from '../../../lib/session/paths.ts'
import { useUser } from '../../../lib/session/session.ts'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { controlClass, Field } from '../../../ui/field.tsx'
import { isComposing } from '../../../ui/is-composing.ts'
import { PageHeader } from '../../../ui/page-header.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { LoadingRegion, SkeletonText } from '../../../ui/skeleton.tsx'
import { TabPanel, Tabs } from '../../../ui/tabs.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { emptyDraft, keepDraft, type NoteDraft, readDraft, useDraftStorage } from './note-draft.ts'

/** Appends a pasted or shared text to a draft. */
function withText({ title, text }: NoteDraft, pasted: string): NoteDraft {
  if (title.trim() === '' && text.trim() === '') return { title: titleOf(pasted), text: pasted }
  return { title, text: [text.trimEnd(), pasted].filter((part) => part !== '').join('\n\n') }
}

type View = 'write' | 'preview'

/**
 * Editor of a note with a preview.
 * @param props.onOutdated called when the note couldn't be saved because it was changed elsewhere; the draft is kept.
 */
function NoteEditor({
  note,
  onSaved,
  onOutdated,
}: {
  note: NoteJson | null
  onSaved?: () => void
  onOutdated?: () => Promise<unknown>
}) {
  const text = useText('notes')
  const app = useText('app')
  const errorText = useErrorText()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const { id: userId } = useUser()
  const [stored, setStored] = useState(() => readDraft(userId, note))
  const isRestored = note !== null && stored !== emptyDraft
  const { isOutdated } = stored
  const [draft, setDraft] = useState<NoteDraft>(note === null || (isRestored && !isOutdated) ? stored : note)
  const [view, setView] = useState<View>('write')
  const [hasSubmitted, setHasSubmitted] = useState(false)
  const keeper = useDraftStorage(userId, note)
  const change = (changes: Partial<NoteDraft>, keep = keeper.keep) => {
    const next = { ...draft, ...changes }
    setDraft(next)
    keep(next)
  }
  const location = useLocation()
  const insertPasted = useEffectEvent(() => {
    const pasted = (location.state as { text?: unknown } | null)?.text
    if (note !== null || typeof pasted !== 'string') return
    change(withText(draft, pasted))
    // otherwise a reload would insert the pasted text again
    void navigate(location, { replace: true, state: null })
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same text may be pasted again
  useEffect(() => insertPasted(), [location])
  const save = useMutation({
    mutationFn: (draft: NoteDraft): Promise<MediaItemJson> =>
      note === null
        ? call('POST /notes', { json: draft })
        : call('PATCH /notes/:id', { params: { id: note.id }, json: { ...draft, based_on: note.sha256 } }),
    onSuccess: async (_, { text: savedText }) => {
      // keeps a draft that was started while this one was being saved
      if (readDraft(userId, note).text === savedText) keepDraft(userId, note, emptyDraft)
      onSaved?.()
      await queryClient.invalidateQueries({ queryKey: ['gallery'] })
      showToast({ tone: 'success', title: text('saved') })
    },
    onError: async (error) => {
      if (error instanceof ApiError && error.code === 'note_changed') await onOutdated?.()
    },
  })

  // Typing would overwrite the stored draft, which is outdated but not yet discarded.
  const isLocked = save.isPending || isOutdated
  const isEmpty = draft.text.trim() === ''
  const title = draft.title.trim() || titleOf(draft.text)
  const submit = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault()
    setHasSubmitted(true)
    if (isEmpty) setView('write')
    else if (!isLocked) {
      keeper.flush()
      // passed to `mutate`, which doesn't call it once the user has left the page
      const onSuccess = ({ id }: MediaItemJson) => void navigate(`${paths.gallery}/${id}`, { replace: note !== null })
      save.mutate({ title, text: draft.text }, { onSuccess })
    }
  }

  const showChanges = () => {
    change({ title: stored.title, text: stored.text })
    setStored({ ...stored, isOutdated: false })
  }
  const discard = () => {
    keeper.keep(emptyDraft)
    setStored(emptyDraft)
    setDraft(note ?? emptyDraft)
  }

  return (
    <form
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || isComposing(event.nativeEvent)) return
        if (event.ctrlKey || event.metaKey) submit(event)
      }}
      className="flex flex-col gap-4"
    >
      {isRestored && (
        <Banner
          tone={isOutdated ? 'warning' : 'info'}
          action={
            <>
              {isOutdated && (
                <Button size="sm" onClick={showChanges}>
                  {text('showChanges')}
                </Button>
              )}
              <Button size="sm" onClick={discard}>
                {text('discard')}
              </Button>
            </>
          }
        >
          {text(isOutdated ? 'outdated' : 'restored')}
        </Banner>
      )}
      <TextField
        label={text('title')}
        placeholder={titleOf(draft.text) || text('titleHint')}
        maxLength={NOTE_TITLE_MAX_CHARACTERS}
        readOnly={isLocked}
        value={draft.title}
        autoComplete="off"
        onChange={({ target }) => change({ title: target.value }, keeper.keepSoon)}
      />
      <Tabs
        label={text('views')}
        tabs={[
          { value: 'write', label: text('write') },
          { value: 'preview', label: text('preview') },
        ]}
        value={view}
        onValueChange={setView}
      >
        <TabPanel value="write">
          <Field
            label={text('text')}
            hint={canDrop ? `${text('textHint')} ${text('keyHint')}` : text('textHint')}
            error={hasSubmitted && isEmpty ? text('empty') : undefined}
          >
            {(control) => (
              <textarea
                {...control}
                value={draft.text}
                maxLength={NOTE_MAX_CHARACTERS}
                readOnly={isLocked}
                rows={14}
                onChange={({ target }) => change({ text: target.value }, keeper.keepSoon)}
                className={`${controlClass} field-sizing-content min-h-72 py-2 leading-normal`}
              />
            )}
          </Field>
        </TabPanel>
        <TabPanel value="preview" className="min-h-72 text-14">
          {isEmpty ? (
            <p className="text-muted">{text('nothing')}</p>
          ) : (
            <>
              <h2 className="mb-4 text-20 font-semibold wrap-anywhere">{title}</h2>
              <NoteMarkdown text={textBelowTitle({ title, text: draft.text })} />
            </>
          )}
        </TabPanel>
      </Tabs>
      {save.isError && (
        <Banner tone="error" title={text('failed')}>
          {errorText(save.error)}
        </Banner>
      )}
      <div className="flex flex-wrap justify-end gap-2">
        <Button
          onClick={() => {
            // the draft of a new note is kept
            if (note !== null && !isOutdated) keeper.keep(emptyDraft)
            void navigate(note === null ? paths.gallery : `${paths.gallery}/${note.id}`, { replace: true })
          }}
        >
          {app('common.cancel')}
        </Button>
        <Button type="submit" variant="primary" loading={save.isPending} disabled={isOutdated}>
          {text('save')}
        </Button>
      </div>
    </form>
  )
}

/** /notes/new, where a note is written, and /notes/:id, where one is edited. */
export function NotePage() {
  const text = useText('notes')
  const { id = 'new' } = useParams()
  return (
    <div className="mx-auto max-w-page">
      <PageHeader title={text(id === 'new' ? 'new' : 'edit')} subtitle={text('subtitle')} />
      <Card>{id === 'new' ? <NoteEditor key="new" note={null} /> : <StoredNote key={id} id={id} />}</Card>
    </div>
  )
}

function StoredNote({ id }: { id: string }) {
  const app = useText('app')
  const queryClient = useQueryClient()
  const queryKey = ['notes', id]
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => call('GET /notes/:id', { params: { id }, signal }),
    // the text must not change while it's being edited
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  if (query.isPending) {
    return (
      <LoadingRegion label={app('common.loading')}>
        <SkeletonText lines={6} />
      </LoadingRegion>
    )
  }
  if (query.isLoadingError) return <LoadFailed query={query} />
  return (
    <NoteEditor
      key={query.data.sha256}
      note={query.data}
      onSaved={() => queryClient.removeQueries({ queryKey })}
      onOutdated={() => query.refetch()}
    />
  )
}
