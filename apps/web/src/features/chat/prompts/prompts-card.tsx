import type { PromptJson } from '@mira/shared'
import {
  PROMPT_COMMAND_MAX_CHARACTERS,
  PROMPT_TEXT_MAX_CHARACTERS,
  PROMPT_TITLE_MAX_CHARACTERS,
} from '@mira/shared/constants/limits'
import { COMMAND_PATTERN, variablesOf } from '@mira/shared/constants/prompts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Pencil, Plus, SquareSlash, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { ApiError, call } from '../../../lib/api/client.ts'
import { FormDialog } from '../../../lib/components/form-dialog.tsx'
import { ListCard } from '../../../lib/components/query-list.tsx'
import { useFormat } from '../../../lib/format/format.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useRemoval } from '../../../lib/loading/use-move-to-trash.ts'
import { PROMPTS_HASH } from '../../../lib/session/paths.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { InlineError } from '../../../ui/inline-error.tsx'
import { SkeletonText } from '../../../ui/skeleton.tsx'
import { TextArea } from '../../../ui/text-area.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { useCloseIfMounted } from '../../../ui/use-close-if-mounted.ts'
import { promptsQuery } from '../chat-queries.ts'

/** Creates or edits a prompt. */
function PromptDialog({ prompt, onClose }: { prompt: PromptJson | null; onClose: () => void }) {
  const text = useText('prompts')
  const errorText = useErrorText()
  const format = useFormat()
  const queryClient = useQueryClient()
  const close = useCloseIfMounted(onClose)
  const [title, setTitle] = useState(prompt?.title ?? '')
  const [command, setCommand] = useState(prompt?.command ?? '')
  const [content, setContent] = useState(prompt?.text ?? '')
  const save = useMutation({
    mutationFn: () => {
      const body = { title: title.trim(), command: command.trim(), text: content.trim() }
      return prompt === null
        ? call('POST /prompts', { json: body })
        : call('PATCH /prompts/:id', { params: { id: prompt.id }, json: body })
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: promptsQuery.queryKey })
      close()
    },
  })
  const isTaken = save.error instanceof ApiError && save.error.code === 'prompt_command_taken'
  const isCommand = COMMAND_PATTERN.test(command.trim())
  const variables = variablesOf(content)
  const canSave = title.trim() !== '' && isCommand && content.trim() !== ''
  return (
    <FormDialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={text(prompt === null ? 'newTitle' : 'editTitle')}
      onSubmit={() => save.mutate()}
      submitLabel={text('save')}
      isBusy={save.isPending}
      canSubmit={canSave}
    >
      <div className="flex flex-col gap-4">
        <TextField
          label={text('name')}
          value={title}
          maxLength={PROMPT_TITLE_MAX_CHARACTERS}
          autoComplete="off"
          autoFocus
          onChange={(event) => setTitle(event.target.value)}
        />
        <TextField
          label={text('command')}
          hint={text('commandHint', { example: '/letter' })}
          error={isTaken ? errorText(save.error) : command !== '' && !isCommand ? text('commandWrong') : undefined}
          value={command}
          maxLength={PROMPT_COMMAND_MAX_CHARACTERS}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          onChange={(event) => {
            setCommand(event.target.value.replace(/^\//, '').toLowerCase())
            save.reset()
          }}
        />
        <TextArea
          label={text('content')}
          hint={
            variables.length > 0
              ? text('variables', { names: format.list(variables) })
              : text('contentHint', { example: '{{city}}' })
          }
          rows={6}
          value={content}
          maxLength={PROMPT_TEXT_MAX_CHARACTERS}
          onChange={(event) => setContent(event.target.value)}
        />
        {save.isError && !isTaken && <InlineError text={errorText(save.error)} />}
      </div>
    </FormDialog>
  )
}

/** The user's saved prompts, to add, edit and delete. */
export function PromptsCard() {
  const text = useText('prompts')
  const query = useQuery(promptsQuery)
  /** Undefined while no prompt is being edited; null for a new prompt. */
  const [editedPrompt, setEditedPrompt] = useState<PromptJson | null>()
  return (
    <>
      <ListCard
        id={PROMPTS_HASH}
        level={3}
        title={text('title')}
        description={text('text')}
        add={{ icon: <Plus aria-hidden />, children: text('add'), onClick: () => setEditedPrompt(null) }}
        query={query}
        items={query.data}
        loading={<SkeletonText lines={3} />}
        empty={{ icon: <SquareSlash />, title: text('empty'), text: text('emptyHint') }}
      >
        {(prompt) => <PromptRow key={prompt.id} prompt={prompt} onEdit={() => setEditedPrompt(prompt)} />}
      </ListCard>
      {editedPrompt !== undefined && (
        <PromptDialog
          key={editedPrompt?.id ?? 'new'}
          prompt={editedPrompt}
          onClose={() => setEditedPrompt(undefined)}
        />
      )}
    </>
  )
}

function PromptRow({ prompt, onEdit }: { prompt: PromptJson; onEdit: () => void }) {
  const text = useText('prompts')
  const remove = useRemoval({
    question: text('deleteQuestion', { name: prompt.title }),
    confirmLabel: text('delete'),
    remove: () => call('DELETE /prompts/:id', { params: { id: prompt.id } }),
    failureTitle: text('deleteFailed'),
    queryKey: promptsQuery.queryKey,
  })
  return (
    <li className="flex items-start gap-2 py-3">
      <div className="min-w-0 flex-1">
        <p className="flex min-w-0 flex-wrap items-baseline gap-x-2 text-14 font-medium">
          <span className="min-w-0 wrap-anywhere">{prompt.title}</span>
          <code className="font-mono text-12 font-normal text-muted">/{prompt.command}</code>
        </p>
        <p className="line-clamp-2 text-13 wrap-anywhere text-muted">{prompt.text}</p>
      </div>
      <IconButton
        size="sm"
        name={text('editOne', { name: prompt.title })}
        icon={<Pencil aria-hidden />}
        onClick={onEdit}
      />
      <IconButton
        size="sm"
        variant="danger"
        name={text('deleteOne', { name: prompt.title })}
        icon={<Trash2 aria-hidden />}
        loading={remove.isPending}
        onClick={remove.ask}
      />
    </li>
  )
}
