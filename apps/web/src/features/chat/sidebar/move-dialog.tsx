import type { ChatSessionJson } from '@mira/shared'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../lib/api/client.ts'
import { FormDialog } from '../../../lib/components/form-dialog.tsx'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { InlineError } from '../../../ui/inline-error.tsx'
import { Select } from '../../../ui/select.tsx'
import { projectsQuery } from '../chat-queries.ts'
import { LIST_KEY } from './use-session-list.ts'

/** Option value for no project; no project has this id. */
const NONE = ''

/** Dialog to move conversations into a project, or out of their project. */
export function MoveDialog({ sessions, onMoved, onClose }: MoveDialogProps) {
  const text = useText('projects')
  const errorText = useErrorText()
  const queryClient = useQueryClient()
  const { data: projects = [] } = useQuery(projectsQuery)
  const [projectId, setProjectId] = useState(sessions[0]?.project_id ?? NONE)
  const move = useMutation({
    mutationFn: () =>
      call('POST /chat/sessions/change', {
        json: { ids: sessions.map(({ id }) => id), project_id: projectId === NONE ? null : projectId },
      }),
    onSuccess: async () => {
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: [LIST_KEY] }),
        queryClient.invalidateQueries({ queryKey: projectsQuery.queryKey }),
      ])
      onMoved()
      onClose()
    },
  })
  return (
    <FormDialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={text('moveTitle', { count: sessions.length })}
      size="sm"
      onSubmit={() => move.mutate()}
      submitLabel={text('move')}
      isBusy={move.isPending}
    >
      <Select
        label={text('project')}
        options={[
          { value: NONE, label: text('none') },
          ...projects.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        value={projectId}
        onValueChange={setProjectId}
      />
      {move.isError && <InlineError className="mt-4" text={errorText(move.error)} />}
    </FormDialog>
  )
}

type MoveDialogProps = { sessions: readonly ChatSessionJson[]; onMoved: () => void; onClose: () => void }
