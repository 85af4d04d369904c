import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { fetchUsers } from '../../api/users.ts'
import { addWatchedFolder } from '../../api/watched-folders.ts'
import { useErrorText, useFieldErrors } from '../../lib/error-text.ts'
import { FormDialog } from '../../lib/form-dialog.tsx'
import { useText } from '../../lib/i18n.ts'
import { useUser } from '../../lib/session.ts'
import { Banner } from '../../ui/banner.tsx'
import { Select } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { watchedFoldersKey } from './watched-folders-queries.ts'

/** The form of a folder that is to be watched, and for whom. */
export function WatchedFolderDialog({ root, onClose }: { root: string; onClose: () => void }) {
  const text = useText('watched-folders')
  const errorText = useErrorText()
  const fieldErrors = useFieldErrors()
  const queryClient = useQueryClient()
  const me = useUser()
  const [path, setPath] = useState(`${root}/`)
  const [userId, setUserId] = useState(me.id)
  const [wrong, setWrong] = useState<Record<string, string>>({})
  const people = useQuery({
    queryKey: ['watched-folder-users'],
    queryFn: ({ signal }) => fetchUsers({ limit: 200 }, signal),
  })
  const save = useMutation({
    mutationFn: () => addWatchedFolder({ path, user_id: userId }),
    onSuccess: () => {
      void queryClient.invalidateQueries({ queryKey: watchedFoldersKey })
      onClose()
    },
    onError: (error) => {
      console.error('The folder could not be watched', error)
      setWrong(fieldErrors(error))
    },
  })
  const submit = () => {
    setWrong({})
    save.mutate()
  }
  const known = people.data?.items ?? []
  const options = known.length > 0 ? known : [me]
  return (
    <FormDialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={text('add')}
      onSubmit={submit}
      submitLabel={text('save')}
      isBusy={save.isPending}
    >
      <div className="flex flex-col gap-4">
        {save.isError && Object.keys(wrong).length === 0 && <Banner tone="error">{errorText(save.error)}</Banner>}
        <TextField
          label={text('path')}
          hint={text('pathHint', { root })}
          required
          data-autofocus=""
          autoComplete="off"
          spellCheck={false}
          maxLength={1000}
          value={path}
          error={wrong.path}
          onChange={(event) => setPath(event.target.value)}
        />
        <Select
          label={text('person')}
          value={userId}
          error={wrong.user_id}
          options={options.map(({ id, username }) => ({ value: id, label: username }))}
          onValueChange={setUserId}
        />
      </div>
    </FormDialog>
  )
}
