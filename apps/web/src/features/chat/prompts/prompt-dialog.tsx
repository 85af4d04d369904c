import type { PromptJson } from '@mira/shared'
import {
  PROMPT_COMMAND_MAX_CHARACTERS,
  PROMPT_TEXT_MAX_CHARACTERS,
  PROMPT_TITLE_MAX_CHARACTERS,
} from '@mira/shared/constants/limits'
import { COMMAND_PATTERN, variablesOf } from '@mira/shared/constants/prompts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError, call } from '../../../lib/api/client.ts'
import { FormDialog } from '../../../lib/components/form-dialog.tsx'
import { useFormat } from '../../../lib/format/format.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { InlineError } from '../../../ui/inline-error.tsx'
import { TextArea } from '../../../ui/text-area.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { promptsQuery } from './prompts-query.ts'

/** Writes a prompt, or another version of one. */
export function PromptDialog({ prompt, onClose }: { prompt: PromptJson | null; onClose: () => void }) {
  const text = useText('prompts')
  const errorText = useErrorText()
  const format = useFormat()
  const queryClient = useQueryClient()
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
      onClose()
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
