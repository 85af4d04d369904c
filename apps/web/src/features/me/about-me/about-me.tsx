import type { Instructions } from '@mira/shared'
import { INSTRUCTIONS_MAX_CHARACTERS } from '@mira/shared/constants/limits'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { call } from '../../../lib/api/client.ts'
import { assistantName } from '../../../lib/browser/page-meta.ts'
import { LoadFailed } from '../../../lib/components/query-list.tsx'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useUnsavedDraft } from '../../../lib/session/kept-drafts.ts'
import { Button } from '../../../ui/button.tsx'
import { Card, CardHeader } from '../../../ui/card.tsx'
import { InlineError } from '../../../ui/inline-error.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { LoadingRegion, Skeleton } from '../../../ui/skeleton.tsx'
import { TextArea } from '../../../ui/text-area.tsx'
import { FactsCard, instructionsQuery } from './facts-card.tsx'

/** The user's self-description and preferred style of answers, which apply to every conversation. */
function InstructionsCard() {
  const text = useText('about-me')
  const appText = useText('app')
  const query = useQuery(instructionsQuery)
  return (
    <Card>
      <CardHeader
        level={3}
        title={text('instructions.title')}
        description={text('instructions.text', { assistant: assistantName() })}
      />
      {query.isLoadingError && <LoadFailed query={query} />}
      {query.isPending && (
        <LoadingRegion label={appText('common.loading')}>
          <Skeleton className="h-40" />
        </LoadingRegion>
      )}
      {query.data && <InstructionsForm saved={query.data} />}
    </Card>
  )
}

/** Unsaved changes of the instructions. */
type InstructionsDraft = Partial<Pick<Instructions, 'about_me' | 'how_to_answer'>>

function InstructionsForm({ saved }: { saved: Instructions }) {
  const text = useText('about-me')
  const errorText = useErrorText()
  const queryClient = useQueryClient()
  // has only the changed fields; the others follow the saved instructions, even when another device changes those
  const { draft = {}, current, keep } = useUnsavedDraft<InstructionsDraft>('instructions')
  const change = (next: InstructionsDraft) => {
    const isEmpty = next.about_me === undefined && next.how_to_answer === undefined
    keep(isEmpty ? undefined : next)
  }
  const unlessSaved = (value: string, savedValue: string) => (value === savedValue ? undefined : value)
  const aboutMe = draft.about_me ?? saved.about_me
  const howToAnswer = draft.how_to_answer ?? saved.how_to_answer
  const save = useMutation({
    mutationFn: (changes: InstructionsDraft) => call('PATCH /me/instructions', { json: changes }),
    onSuccess: (instructions, sent) => {
      queryClient.setQueryData(instructionsQuery.queryKey, instructions)
      // keeps text that was typed while these changes were being saved
      const latest = current() ?? {}
      change({
        about_me: latest.about_me === sent.about_me ? undefined : latest.about_me,
        how_to_answer: latest.how_to_answer === sent.how_to_answer ? undefined : latest.how_to_answer,
      })
      showToast({ tone: 'success', title: text('instructions.saved') })
    },
  })
  const isChanged = aboutMe !== saved.about_me || howToAnswer !== saved.how_to_answer

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!save.isPending) save.mutate(draft)
  }

  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <TextArea
        label={text('instructions.aboutMe')}
        placeholder={text('instructions.aboutMeExample')}
        value={aboutMe}
        maxLength={INSTRUCTIONS_MAX_CHARACTERS}
        onChange={(event) => change({ ...draft, about_me: unlessSaved(event.target.value, saved.about_me) })}
      />
      <TextArea
        label={text('instructions.howToAnswer')}
        placeholder={text('instructions.howToAnswerExample')}
        value={howToAnswer}
        maxLength={INSTRUCTIONS_MAX_CHARACTERS}
        onChange={(event) => change({ ...draft, how_to_answer: unlessSaved(event.target.value, saved.how_to_answer) })}
      />
      {save.isError && <InlineError text={errorText(save.error)} />}
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" variant="primary" disabled={!isChanged} loading={save.isPending}>
          {text('instructions.save')}
        </Button>
        {isChanged && <span className="text-13 text-muted">{text('instructions.unsaved')}</span>}
      </div>
    </form>
  )
}

/** The user's instructions and remembered facts, as two cards side by side where there's space. */
export function AboutMe() {
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <InstructionsCard />
      <FactsCard />
    </div>
  )
}
